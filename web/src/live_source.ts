// The WebSocket of a live server: keeps the connection, gives frames, sends commands.

import { LiveWorld } from "./live_decode";
import { PastFrames } from "./past_frames";
import { openDescription } from "./protocol";
import type { Comparison, CoordinateName, Description, Frame, JointSeries, LiveState, Surroundings, TelemetryTable } from "./protocol";

/** A motor's speed, a servo's target, an effort, or bounds. */
export interface JointChange {
  name: string;
  coordinate: CoordinateName;
  speed?: number;
  target?: number;
  effort?: number;
  lower?: number;
  upper?: number;
}

export interface LiveEvents {
  scene(description: Description): void;
  frame(frame: Frame): void;
  state(state: LiveState): void;
  comparison(comparison: Comparison): void;
  /** Somebody drives a joint to something else. */
  joint(change: JointChange): void;
  surroundings(now: Surroundings): void;
  /** A scene file to keep. */
  saved(file: string, text: string, remark: string): void;
  /** The scene cannot be shown, and no frame will come. */
  refused(text: string): void;
  /** Something to tell the user: a file that was written, a command that was refused. */
  note(text: string, bad: boolean, refused?: boolean): void;
  connected(yes: boolean): void;
}

/** As many frames of telemetry as the plots keep. */
const REMEMBERED = 3000;

export class LiveSource {
  readonly kind = "live";
  private world_: LiveWorld | null = null;
  private socket_: WebSocket | null = null;
  private retryMs_ = 250;
  private wants_ = { contacts: false, history: false, joints: false, fields: false, overlaps: false };
  private time_: number[] = [];
  private columns_: number[][] = [];
  private pending_: Frame | null = null;
  /** The last frames, for trails and for looking back. */
  readonly past = new PastFrames();
  /** The joint that is plotted, and what it did since it was chosen. */
  private followed_ = -1;
  private series_: { time: number[]; position: number[][]; motor: number[][]; force: number[]; torque: number[] } =
    emptySeries(0);

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

  want(wants: { contacts: boolean; history: boolean; joints: boolean; fields: boolean; overlaps: boolean }): void {
    if (JSON.stringify(wants) === JSON.stringify(this.wants_)) return;
    this.wants_ = wants;
    this.send({ type: "want", ...this.wants_ });
  }

  table(): TelemetryTable {
    return { time: this.time_, columns: this.columns_ };
  }

  /** Starts anew for another joint. */
  jointSeries(joint: number): JointSeries {
    if (joint !== this.followed_) this.follow(joint);
    return this.series_;
  }

  private follow(joint: number): void {
    this.followed_ = joint;
    this.series_ = emptySeries(this.description?.joints?.[joint]?.free.length ?? 0);
  }

  private remember(frame: Frame): void {
    const joints = frame.joints;
    const i = this.followed_;
    const s = this.series_;
    if (!joints || !(i >= 0 && i < joints.state.length) || frame.time <= (s.time[s.time.length - 1] ?? -Infinity)) return;
    s.time.push(frame.time);
    s.position.forEach((values, c) => values.push(joints.position[joints.first[i]! + c]!));
    s.motor.forEach((values, c) => values.push(joints.motor[joints.first[i]! + c]!));
    s.force.push(Math.hypot(...joints.force.subarray(3 * i, 3 * i + 3)));
    s.torque.push(Math.hypot(...joints.torque.subarray(3 * i, 3 * i + 3)));
    const excess = s.time.length - REMEMBERED;
    if (excess > 0.2 * REMEMBERED)
      for (const list of [s.time, s.force, s.torque, ...s.position, ...s.motor]) list.splice(0, excess);
  }

  private receiveText(text: string): void {
    const message = JSON.parse(text);
    switch (message.type) {
      case "scene":
        this.world_ = null; // frames of a scene that cannot be read are not of the one before
        this.pending_ = null;
        this.past.clear();
        try {
          this.world_ = new LiveWorld(openDescription(message.description, "the server"));
        } catch (error) {
          this.on_.refused(`${(error as Error).message} Reload the page.`);
          return;
        }
        this.follow(this.followed_);
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
      case "joint":
        this.on_.joint(message);
        break;
      case "surroundings":
        this.on_.surroundings(message);
        break;
      case "saved":
        this.on_.saved(message.file, message.text, message.remark ?? "");
        break;
      case "captured":
        this.on_.note(`Captured the contact problem: ${message.file}`, false);
        break;
      case "error":
        this.on_.note(message.message, true, true);
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
    this.remember(frame);
    this.past.add(frame);
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

function emptySeries(coordinates: number) {
  const lists = () => Array.from({ length: coordinates }, (): number[] => []);
  return { time: [] as number[], position: lists(), motor: lists(), force: [] as number[], torque: [] as number[] };
}
