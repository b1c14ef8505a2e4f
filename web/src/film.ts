// A film of the view as a WebM file: pictures go through the encoder of the browser, one after the other, however long each takes.

/** Of a film [Hz]. */
export const FILM_RATE = 30;
const KEY_EVERY = 60;
const MICROSECONDS = 1e6;

interface Chunk {
  milliseconds: number;
  key: boolean;
  data: Uint8Array;
}

export class Film {
  private readonly chunks_: Chunk[] = [];
  private readonly encoder_: VideoEncoder;
  private count_ = 0;
  private failed_: Error | null = null;

  /** @throws Error where the browser cannot encode. */
  constructor(private readonly width_: number, private readonly height_: number) {
    if (typeof VideoEncoder === "undefined")
      throw new Error("This browser makes no films. “stickslip render … -o film.mp4” does.");
    this.encoder_ = new VideoEncoder({
      output: (chunk) => {
        const data = new Uint8Array(chunk.byteLength);
        chunk.copyTo(data);
        this.chunks_.push({ milliseconds: chunk.timestamp / 1000, key: chunk.type === "key", data });
      },
      error: (error) => (this.failed_ = error),
    });
    const bitrate = Math.round(0.12 * width_ * height_ * FILM_RATE);
    this.encoder_.configure({ codec: "vp8", width: width_, height: height_, bitrate, framerate: FILM_RATE });
  }

  /** The next picture. Fulfilled when the encoder has room for another. */
  async add(picture: CanvasImageSource): Promise<void> {
    if (this.failed_) throw this.failed_;
    const timestamp = Math.round((this.count_ * MICROSECONDS) / FILM_RATE);
    const frame = new VideoFrame(picture, { timestamp, duration: Math.round(MICROSECONDS / FILM_RATE) });
    this.encoder_.encode(frame, { keyFrame: this.count_++ % KEY_EVERY === 0 });
    frame.close();
    while (this.encoder_.encodeQueueSize > 4) await new Promise((next) => setTimeout(next, 5));
  }

  async finish(): Promise<Blob> {
    await this.encoder_.flush();
    if (this.failed_) throw this.failed_;
    this.encoder_.close();
    return new Blob([webm(this.chunks_, this.width_, this.height_, (1000 * this.count_) / FILM_RATE)], { type: "video/webm" });
  }
}

type Bytes = (number | Uint8Array)[];

/** An element of WebM: its number, its length in eight bytes, its content. */
function element(id: number[], content: Bytes): Bytes {
  let length = 0;
  for (const part of content) length += typeof part === "number" ? 1 : part.length;
  const size = new Uint8Array(8);
  new DataView(size.buffer).setUint32(4, length);
  size[0] = 1;
  return [...id, size, ...content];
}

const ascii = (text: string): Bytes => [...text].map((c) => c.charCodeAt(0));
function whole(value: number): Bytes {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return [bytes];
}
function real(value: number): Bytes {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setFloat64(0, value);
  return [bytes];
}

/** Matroska in the subset that is called WebM: a head, one track of pictures, clusters that begin with a key picture. */
function webm(chunks: Chunk[], width: number, height: number, milliseconds: number): Uint8Array<ArrayBuffer> {
  const head = element([0x1a, 0x45, 0xdf, 0xa3], [
    ...element([0x42, 0x86], [1]), // version
    ...element([0x42, 0xf7], [1]), // version that is needed to read it
    ...element([0x42, 0xf2], [4]), // longest number of an element
    ...element([0x42, 0xf3], [8]), // longest length of one
    ...element([0x42, 0x82], ascii("webm")),
    ...element([0x42, 0x87], [2]),
    ...element([0x42, 0x85], [2]),
  ]);
  const info = element([0x15, 0x49, 0xa9, 0x66], [
    ...element([0x2a, 0xd7, 0xb1], whole(1_000_000)), // times are in milliseconds
    ...element([0x44, 0x89], real(milliseconds)),
    ...element([0x4d, 0x80], ascii("stickslip")),
    ...element([0x57, 0x41], ascii("stickslip")),
  ]);
  const track = element([0xae], [
    ...element([0xd7], [1]),
    ...element([0x73, 0xc5], [1]),
    ...element([0x83], [1]), // pictures
    ...element([0x86], ascii("V_VP8")),
    ...element([0xe0], [...element([0xb0], whole(width)), ...element([0xba], whole(height))]),
  ]);
  const clusters: Bytes = [];
  for (let first = 0, end = 0; first < chunks.length; first = end) {
    const start = Math.round(chunks[first]!.milliseconds);
    const content = element([0xe7], whole(start));
    for (end = first; end < chunks.length && (end === first || !chunks[end]!.key); ++end) {
      const { milliseconds: at, key, data } = chunks[end]!;
      const after = Math.round(at) - start;
      content.push(...element([0xa3], [0x81, after >> 8, after & 255, key ? 0x80 : 0, data]));
    }
    clusters.push(...element([0x1f, 0x43, 0xb6, 0x75], content));
  }
  const segment = element([0x18, 0x53, 0x80, 0x67], [...info, ...element([0x16, 0x54, 0xae, 0x6b], track), ...clusters]);
  return joined([...head, ...segment]);
}

function joined(parts: Bytes): Uint8Array<ArrayBuffer> {
  let length = 0;
  for (const part of parts) length += typeof part === "number" ? 1 : part.length;
  const out = new Uint8Array(length);
  let at = 0;
  for (const part of parts)
    if (typeof part === "number") out[at++] = part;
    else {
      out.set(part, at);
      at += part.length;
    }
  return out;
}
