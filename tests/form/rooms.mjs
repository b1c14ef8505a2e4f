// The house keeps its walls: of other rooms a file includes only those that its room may use, and of them the public headers and
// those that they lend. The rooms are those of CMakeLists.txt (USES, LENDS); the table of docs/architecture.md says the same.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** What each room names in CMakeLists.txt: name → { uses, lends }. */
function roomsOfCMake(text) {
  const rooms = new Map();
  for (const [, name, rest] of text.matchAll(/^stickslip_room\((\w+)([^)]*)\)/gm)) {
    const list = (key) => (rest.match(new RegExp(`\\b${key}\\b([a-z0-9_\\s]*)`))?.[1] ?? "").trim().split(/\s+/).filter(Boolean);
    rooms.set(name, { uses: list("USES"), lends: list("LENDS") });
  }
  return rooms;
}

/** What the table of docs/architecture.md says that each room may use. */
function roomsOfManual(text) {
  const rows = [...text.matchAll(/^\| `(\w+)` \|.*\| ([^|]*) \|$/gm)];
  return new Map(rows.map(([, name, uses]) => [name, uses.split(", ")]));
}

/** A room with all that it may use, directly or through others. */
function reach(rooms, room) {
  return new Set([room, ...rooms.get(room).uses.flatMap((used) => [...reach(rooms, used)])]);
}

function* sources(root, folder) {
  if (!existsSync(join(root, folder))) return;
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) yield* sources(root, path);
    else if (/\.(h|cpp)$/.test(entry.name)) yield path;
  }
}

/** Why a file of `room` may not have this line; undefined if it may. */
function breach(rooms, room, line) {
  const included = line.match(/^\s*#\s*include\s*["<]([^">]+)[">]/)?.[1];
  const [, published, from, name] = included?.match(/^(stickslip\/)?(\w+)\/(.+)\.h$/) ?? [];
  if (from === room || !(rooms.has(from) || from === "cli")) return undefined;
  if (!reach(rooms, room).has(from)) return `room ${room} may not use ${from}: ${included}`;
  if (published || rooms.get(from).lends.includes(name)) return undefined;
  return `${from} does not lend ${included} to room ${room}`;
}

/** Everything under `root` that is against the table of rooms, a line each. */
export function breaches(root) {
  const read = (file) => readFileSync(join(root, file), "utf8");
  const rooms = roomsOfCMake(read("CMakeLists.txt"));
  const manual = roomsOfManual(read("docs/architecture.md"));
  const found = [];
  for (const [room, { uses }] of rooms) {
    for (const file of [...sources(root, `include/stickslip/${room}`), ...sources(root, `src/${room}`)])
      read(file).split("\n").forEach((line, at) => {
        const why = breach(rooms, room, line);
        if (why !== undefined) found.push(`${file}:${at + 1}: ${why}`);
      });
    const told = (manual.get(room) ?? []).filter((used) => rooms.has(used)).join(", ");
    if (told !== uses.join(", ")) found.push(`docs/architecture.md: room ${room} may use "${told}", in CMakeLists.txt "${uses.join(", ")}"`);
  }
  return found;
}
