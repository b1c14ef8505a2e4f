// Writes replays and live frames as docs/viewer-protocol.md says: the other side of the decoder, written from the page alone.

import { deflateSync } from "node:zlib";

class Bytes {
  parts = [];
  raw(buffer) {
    this.parts.push(Buffer.from(buffer));
    return this;
  }
  u8(v) { return this.raw([v]); }
  number(method, size, v) {
    const b = Buffer.alloc(size);
    b[method](v);
    return this.raw(b);
  }
  u16(v) { return this.number("writeUInt16LE", 2, v); }
  i16(v) { return this.number("writeInt16LE", 2, v); }
  u32(v) { return this.number("writeUInt32LE", 4, v); }
  i32(v) { return this.number("writeInt32LE", 4, v); }
  f32(v) { return this.number("writeFloatLE", 4, v); }
  f64(v) { return this.number("writeDoubleLE", 8, v); }
  varint(v) {
    let n = v >= 0 ? BigInt(v) * 2n : -BigInt(v) * 2n - 1n;
    const out = [];
    do {
      const low = Number(n & 127n);
      n >>= 7n;
      out.push(n > 0n ? low | 128 : low);
    } while (n > 0n);
    return this.raw(out);
  }
  end() { return Buffer.concat(this.parts); }
}

/** frames: [{step, time, bodies: [{position, orientation, state}], contacts, joints, telemetry, history}] */
export function encodeReplay(description, frames, { stride = 1, jointStride = 1, fieldStride = 1, forceUnit = 0.01 } = {}) {
  const q = description.quantum;
  const full = {
    ...description,
    frames: frames.length,
    contact_stride: stride,
    force_unit: forceUnit,
    ...(description.joints ? { joint_stride: jointStride } : {}),
    ...(description.bodies.some((b) => b.nodes?.fields) ? { field_stride: fieldStride } : {}),
    step_of_frame: frames.map((f) => f.step),
    time_of_frame: frames.map((f) => f.time),
  };
  const out = new Bytes();
  const json = Buffer.from(JSON.stringify(full));
  out.raw("SLREPLAY").u32(6).u32(json.length).raw(json);

  const count = description.bodies.length;
  const quaternions = Array.from({ length: count }, (_, b) => {
    let last = null;
    return frames.map((f) => {
      let x = f.bodies[b].orientation;
      if (last && x.reduce((s, v, k) => s + v * last[k], 0) < 0) x = x.map((v) => -v);
      return (last = x);
    });
  });
  const value = (channel, b, f) => {
    const body = frames[f].bodies[b];
    if (channel < 3) return Math.round(body.position[channel] / q);
    if (channel < 7) return Math.round(quaternions[b][f][channel - 3] * 32767);
    return body.state;
  };
  for (let channel = 0; channel < 8; ++channel)
    for (let b = 0; b < count; ++b) {
      let before = 0;
      for (let f = 0; f < frames.length; ++f) {
        const v = value(channel, b, f);
        out.varint(v - before);
        before = v;
      }
    }

  // Nodes: what is left of a place after the way from the two frames before was prolonged.
  description.bodies.forEach(({ nodes }, b) => {
    for (let axis = 0; nodes && axis < 3; ++axis)
      for (let n = 0; n < nodes.count; ++n) {
        const places = frames.map((f) => Math.round(f.nodes[b][n][axis] / nodes.quantum));
        places.forEach((x, f) => out.varint(x - (f === 0 ? 0 : f === 1 ? places[0] : 2 * places[f - 1] - places[f - 2])));
      }
  });

  const kept = frames.filter((_, f) => f % stride === 0);
  for (const f of kept) out.varint(f.contacts.length);
  const contactChannels = [(c) => c.a, (c) => c.b];
  for (let k = 0; k < 3; ++k)
    contactChannels.push(
      (c, f) => (c.position[k] - (description.bodies[c.a].motion === "fixed" ? 0 : f.bodies[c.a].position[k])) / q,
    );
  for (let k = 0; k < 3; ++k) contactChannels.push((c) => c.normal[k] * 127);
  for (let k = 0; k < 3; ++k) contactChannels.push((c) => (c.force[k] * 1000) / forceUnit);
  contactChannels.push((c) => c.gap / q);
  for (let k = 0; k < 3; ++k) contactChannels.push((c) => c.slip[k] * 1e6);
  contactChannels.push((c) => c.friction * 1000);
  if (description.contact_features)
    for (const name of ["touch", "facetA", "facetB", "shapeA", "shapeB"]) contactChannels.push((c) => c[name] ?? 0);
  for (const read of contactChannels) for (const f of kept) for (const c of f.contacts) out.varint(Math.round(read(c, f)));

  description.telemetry.forEach((_, c) => frames.forEach((f) => out.f32(f.telemetry[c])));
  for (const f of kept) {
    out.u32(f.history.length);
    for (const [iteration, residual] of f.history) out.u32(iteration).f32(residual);
  }

  const keptJoints = frames.filter((_, f) => f % jointStride === 0);
  (description.joints ?? []).forEach((joint, i) => {
    const channel = (read) => {
      let before = 0;
      for (const f of keptJoints) {
        const v = Math.round(read(f.joints[i]));
        out.varint(v - before);
        before = v;
      }
    };
    const newton = 1000 / forceUnit;
    const newtonMetre = 1000 / (description.torque_unit ?? 1);
    channel((j) => j.state);
    channel((j) => (j.error / q) * 1000);
    for (let k = 0; k < 3; ++k) channel((j) => j.force[k] * newton);
    for (let k = 0; k < 3; ++k) channel((j) => j.torque[k] * newtonMetre);
    channel((j) => j.coupling * newton);
    joint.free.forEach(({ coordinate }, c) => {
      const turn = coordinate.startsWith("turn");
      channel((j) => (turn ? j.position[c] * 1e5 : j.position[c] / q));
      channel((j) => j.velocity[c] * 1e6);
      channel((j) => j.motor[c] * (turn ? newtonMetre : newton));
    });
  });
  if (description.contact_areas)
    for (const f of kept) {
      out.varint(f.contacts.filter((c) => c.outline).length);
      f.contacts.forEach((c, i) => {
        if (!c.outline) return;
        out.varint(i).varint(c.outline.length).varint(Math.round((c.depth / q) * 1000));
        for (const place of [c.pressure, ...c.outline]) place.forEach((x, k) => out.varint(Math.round((x - c.position[k]) / q)));
      });
    }
  if (description.contact_overlaps)
    for (const f of kept) {
      out.varint(f.contacts.filter((c) => c.overlap).length);
      f.contacts.forEach((c, i) => {
        if (!c.overlap) return;
        const { vertices, triangles } = c.overlap;
        let before = 0;
        const add = (x) => out.varint(x - before) && (before = x);
        out.varint(i).varint(vertices.length);
        for (let k = 0; k < 3; ++k) for (const v of vertices) add(Math.round(((v[k] - c.position[k]) / q) * 1000));
        before = 0;
        out.varint(triangles.length);
        triangles.flat().forEach(add);
      });
    }
  description.bodies.forEach(({ nodes }, b) => {
    if (!nodes?.fields) return;
    nodes.fields.forEach((field, k) =>
      frames[0].fields[b][k].forEach((_, node) => {
        let before = 0;
        for (const f of frames.filter((_, i) => i % fieldStride === 0)) {
          const code = fieldCode(f.fields[b][k][node], field.from);
          out.varint(code - before);
          before = code;
        }
      }),
    );
  });
  return out.end();
}

/** fields of a frame: by body, by field, a value for every node of the surface. */
function fieldCode(value, from) {
  return Math.round(50 * Math.log2(1 + value / from));
}

export function base64Replay(description, frames, options) {
  return deflateSync(encodeReplay(description, frames, options)).toString("base64");
}

/** which: the bodies that the frame brings, all by default. */
export function encodeLiveFrame(description, frame, { contacts = false, history = false, joints = false, fields = false, which = null } = {}) {
  const out = new Bytes();
  const bodies = which ?? description.bodies.map((_, b) => b);
  const nodal = bodies.filter((b) => description.bodies[b].nodes);
  const flags =
    (which ? 0 : 1) | (contacts ? 2 : 0) | (history ? 4 : 0) | (joints && description.joints ? 8 : 0) | (nodal.length ? 16 : 0) |
    (contacts && frame.contacts.some((c) => c.outline) ? 32 : 0) |
    (fields ? 64 : 0) |
    (contacts && frame.contacts.some((c) => c.overlap) ? 128 : 0);
  out.u8(1).u8(flags).u16(0).u32(frame.step).f64(frame.time).u32(bodies.length);
  for (const b of bodies) {
    const body = frame.bodies[b];
    out.u32(b);
    for (const x of body.position) out.i32(Math.round(x / description.quantum));
    for (const x of body.orientation) out.i16(Math.round(x * 32767));
    out.u8(body.state).u8(0).u8(0).u8(0);
  }
  out.u16(frame.telemetry.length).u16(0);
  for (const x of frame.telemetry) out.f32(x);
  if (contacts) {
    out.u32(frame.contacts.length);
    for (const c of frame.contacts) {
      out.u32(c.a).u32(c.b);
      for (const x of [...c.position, ...c.normal, ...c.force, c.gap, ...c.slip, c.friction]) out.f32(x);
      out.u32(c.facetA ?? 0).u32(c.facetB ?? 0).u16(c.shapeA ?? 0).u16(c.shapeB ?? 0).u32(c.touch ?? 0);
    }
  }
  if (history) {
    out.u32(frame.history.length);
    for (const [iteration, residual] of frame.history) out.u32(iteration).f32(residual);
  }
  if (joints && description.joints) {
    out.u32(frame.joints.length);
    for (const j of frame.joints) {
      out.u8(j.state).u8(0).u8(0).u8(0).f32(j.error);
      for (const x of [...j.force, ...j.torque, j.coupling]) out.f32(x);
      j.position.forEach((x, c) => out.f32(x).f32(j.velocity[c]).f32(j.motor[c]));
    }
  }
  if (nodal.length) out.u32(nodal.length);
  for (const b of nodal) {
    const { count, quantum } = description.bodies[b].nodes;
    out.u32(b).u32(count);
    for (const place of frame.nodes[b]) for (const x of place) out.i32(Math.round(x / quantum));
  }
  if (flags & 32) {
    out.u32(frame.contacts.filter((c) => c.outline).length);
    frame.contacts.forEach((c, i) => {
      if (!c.outline) return;
      out.u32(i).u32(c.outline.length).f32(c.depth);
      for (const x of [c.pressure, ...c.outline].flat()) out.f32(x);
    });
  }
  if (fields) {
    const soft = description.bodies.flatMap(({ nodes }, b) => (nodes?.fields ? [b] : []));
    out.u32(soft.length);
    for (const b of soft) {
      out.u32(b).u32(frame.fields[b][0].length);
      description.bodies[b].nodes.fields.forEach(({ from }, k) => frame.fields[b][k].forEach((x) => out.u16(fieldCode(x, from))));
    }
  }
  if (flags & 128) {
    out.u32(frame.contacts.filter((c) => c.overlap).length);
    frame.contacts.forEach((c, i) => {
      if (!c.overlap) return;
      const { vertices, triangles } = c.overlap;
      out.u32(i).u32(vertices.length).u32(triangles.length);
      for (const v of vertices) v.forEach((x, k) => out.f32(x - c.position[k]));
      for (const corner of triangles.flat()) out.u32(corner);
    });
  }
  return out.end();
}
