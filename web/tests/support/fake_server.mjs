// A live server of a few lines: serves the page, speaks enough WebSocket (RFC 6455) to send frames and collect commands.

import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { encodeLiveFrame } from "./encoder.mjs";
import { makeFrame } from "./scene.mjs";

function packet(opcode, payload) {
  const n = payload.length;
  const head = n < 126 ? Buffer.from([0x80 | opcode, n]) : n < 65536 ? Buffer.alloc(4) : Buffer.alloc(10);
  if (n >= 126) {
    head[0] = 0x80 | opcode;
    if (n < 65536) {
      head[1] = 126;
      head.writeUInt16BE(n, 2);
    } else {
      head[1] = 127;
      head.writeBigUInt64BE(BigInt(n), 2);
    }
  }
  return Buffer.concat([head, payload]);
}

/** Messages of a client, which are masked. */
function* unpack(state, chunk) {
  state.rest = Buffer.concat([state.rest, chunk]);
  for (;;) {
    const b = state.rest;
    if (b.length < 2) return;
    let n = b[1] & 127;
    let at = 2;
    if (n === 126) {
      if (b.length < 4) return;
      n = b.readUInt16BE(2);
      at = 4;
    }
    if (b.length < at + 4 + n) return;
    const mask = b.subarray(at, at + 4);
    const payload = Buffer.from(b.subarray(at + 4, at + 4 + n)).map((x, i) => x ^ mask[i % 4]);
    state.rest = b.subarray(at + 4 + n);
    yield { opcode: b[0] & 15, payload };
  }
}

export class FakeServer {
  commands = [];
  paths = [];
  running = true;
  step = 0;
  wants = { contacts: false, history: false, joints: false };
  state = { speed: 1, solver: "auto", h: 0.01, friction: null, steps_per_second: 100, viewers: 1 };
  #sockets = new Set();

  /** frame: makes one, of a description and a number. */
  constructor(page, description, frame = makeFrame) {
    this.description = description;
    this.makeFrame = frame;
    this.http = createServer((request, response) => {
      this.paths.push(request.url);
      response.setHeader("content-type", "text/html");
      response.end(page);
    });
    this.http.on("upgrade", (request, socket) => this.#upgrade(request, socket));
    this.timer = setInterval(() => this.running && this.#sendFrame(), 30);
  }
  async listen() {
    await new Promise((done) => this.http.listen(0, "127.0.0.1", done));
    return `http://127.0.0.1:${this.http.address().port}/`;
  }
  drop() {
    for (const socket of this.#sockets) socket.destroy();
  }
  close() {
    clearInterval(this.timer);
    this.drop();
    return new Promise((done) => this.http.close(done));
  }
  json(message) {
    for (const socket of this.#sockets) socket.write(packet(1, Buffer.from(JSON.stringify(message))));
  }
  sendState() {
    this.json({ type: "state", running: this.running, ...this.state });
  }
  #sendFrame() {
    ++this.step;
    const frame = this.makeFrame(this.description, this.step % 200);
    frame.step = this.step;
    frame.time = this.step * 0.02;
    const bytes = packet(2, encodeLiveFrame(this.description, frame, this.wants));
    for (const socket of this.#sockets) socket.write(bytes);
  }
  #upgrade(request, socket) {
    this.paths.push(request.url);
    const accept = createHash("sha1")
      .update(request.headers["sec-websocket-key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")
      .digest("base64");
    socket.write(
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
        `Sec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    this.#sockets.add(socket);
    const state = { rest: Buffer.alloc(0) };
    socket.on("data", (chunk) => {
      for (const { opcode, payload } of unpack(state, chunk)) if (opcode === 1) this.#command(JSON.parse(payload));
    });
    socket.on("close", () => this.#sockets.delete(socket));
    socket.on("error", () => {});
    this.json({ type: "scene", description: this.description });
    this.#sendFrame();
    this.sendState();
  }
  #command(command) {
    this.commands.push(command);
    if (command.type === "want") this.wants = { contacts: command.contacts, history: command.history, joints: command.joints, fields: command.fields ?? false };
    if (command.type === "pause" || command.type === "step") this.running = false;
    if (command.type === "run") this.running = true;
    if (command.type === "step") for (let i = 0; i < command.count; ++i) this.#sendFrame();
    if (command.type === "speed") this.state.speed = command.value;
    if (command.type === "set") {
      const { type, ...values } = command;
      Object.assign(this.state, values);
    }
    if (command.type === "joint") this.json(command);
    if (command.type === "capture") this.json({ type: "captured", file: "made-up-step1.hdf5" });
    if (command.type === "compare")
      this.json({ type: "comparison", step: this.step, solvers: command.solvers.map((name, s) => ({
        name, status: s === 0 ? "converged" : "iteration-limit", iterations: 8 + s, seconds: 1e-4 * (1 + s), residual: 1e-8,
        history: Array.from({ length: 8 + s }, (_, i) => [i, 10 ** (-1 - i / (1 + s))]) })) });
    this.sendState();
  }
}
