// The WebSocket of a live server: keeps the connection, gives frames, sends commands.

import { LiveWorld } from "./live_decode";
import { checkDescription, type Comparison, type Description, type Frame, type LiveState, type TelemetryTable } from "./protocol";

export interface LiveEvents {
  scene(description: Description): void;
  frame(frame: Frame): void;
  state(state: LiveState): void;
  comparison(comparison: Comparison): void;
  /** Something to tell the user: a file that was written, a command that was refused. */
  note(text: string, bad: boolean): void;
  connected(yes: boolean): void;
}

/** As many frames of telemetry as the plots keep. */
const REMEMBERED = 3000;

export class LiveSource {
  readonly kind = "live";
  private world_: LiveWorld | null = null;
  private socket_: WebSocket | null = null;
  private retryMs_ = 250;
  private wants_ = { contacts: false, history: false };
  private time_: number[] = [];
  private columns_: number[][] = [];
  private pending_: Frame | null = null;

  constructor(
    private readonly url_: string,
    private readonly on_: LiveEvents,
  ) {}

  get description(): Description | null {
    return this.world_?.description ?? null;
  }

  connect(): void {
    const socket = new WebSocket(this.url_);
    socket.binaryType = "arraybuffer";
    this.socket_ = socket;
    socket.onopen = () => {
      this.retryMs_ = 250;
      this.on_.connected(true);
      this.send({ type: "want", ...this.wants_ });
    };
    socket.onmessage = (event) => {
      try {
        if (typeof event.data === "string") this.receiveText(event.data);
        else this.receiveFrame(event.data as ArrayBuffer);
      } catch (error) {
        this.on_.note(error instanceof Error ? error.message : String(error), true);
      }
    };
    socket.onclose = () => {
      this.on_.connected(false);
      setTimeout(() => this.connect(), this.retryMs_);
      this.retryMs_ = Math.min(2 * this.retryMs_, 5000);
    };
  }

  /** Says nothing while the connection is lost. */
  send(message: { type: string; [key: string]: unknown }): void {
    if (this.socket_?.readyState === WebSocket.OPEN) this.socket_.send(JSON.stringify(message));
  }

  want(contacts: boolean, history: boolean): void {
    if (contacts === this.wants_.contacts && history === this.wants_.history) return;
    this.wants_ = { contacts, history };
    this.send({ type: "want", ...this.wants_ });
  }

  table(): TelemetryTable {
    return { time: this.time_, columns: this.columns_ };
  }

  private receiveText(text: string): void {
    const message = JSON.parse(text);
    switch (message.type) {
      case "scene":
        checkDescription(message.description);
        this.world_ = new LiveWorld(message.description);
        this.pending_ = null;
        this.time_ = [];
        this.columns_ = this.world_.description.telemetry.map(() => []);
        this.on_.scene(message.description);
        break;
      case "state":
        this.on_.state(message);
        break;
      case "comparison":
        this.on_.comparison(message);
        break;
      case "captured":
        this.on_.note(`Captured the contact problem: ${message.file}`, false);
        break;
      case "error":
        this.on_.note(message.message, true);
        break;
    }
  }

  private receiveFrame(data: ArrayBuffer): void {
    if (!this.world_) return;
    const frame = this.world_.apply(data);
    const last = this.time_[this.time_.length - 1];
    if (last === undefined || frame.time > last) {
      this.time_.push(frame.time);
      this.columns_.forEach((column, c) => column.push(frame.telemetry[c] ?? NaN));
      if (this.time_.length > REMEMBERED * 1.2) {
        const excess = this.time_.length - REMEMBERED;
        this.time_.splice(0, excess);
        for (const column of this.columns_) column.splice(0, excess);
      }
    }
    // Frames that arrive faster than pictures are drawn are taken in, but only the last of them is shown.
    if (!this.pending_) requestAnimationFrame(() => this.present());
    this.pending_ = frame;
  }

  private present(): void {
    const frame = this.pending_;
    this.pending_ = null;
    if (frame) this.on_.frame(frame);
  }
}
