/** Messages as bytes: a header, then the body. See the Go package wasm/wire. */

import { type Packet, Reader, WireError, Writer } from "./codec.js";
import { type Bodies, kinds, version } from "./wire.js";

export type { Bodies };

/** A message: what kind of body, the ID of its request, the body. */
export type Message = {
  [K in keyof Bodies]: { kind: K; id: number; body: Bodies[K] };
}[keyof Bodies];

const numbers = new Map<string, number>(kinds.map(([name], index) => [name, index + 1]));

/** Returns the bytes of a message. Throws a FieldError for a value that does not fit. */
export function encode<K extends keyof Bodies>(kind: K, id: number, body: Bodies[K]): Packet {
  const number = numbers.get(kind)!;
  const w = new Writer();
  w.uint8(version);
  w.uint8(number);
  w.uint32(id);
  // The table maps each name to its codec; TypeScript cannot infer this relation through an index.
  (kinds[number - 1]![1] as { write(w: Writer, body: Bodies[K]): void }).write(w, body);
  return w.finish();
}

/** Returns the message in bytes, which must have no other content. Throws a WireError. */
export function decode(bytes: Uint8Array): Message {
  const r = new Reader(bytes);
  const theirs = r.uint8();
  const number = r.uint8();
  const id = r.uint32();
  if (theirs !== version)
    throw new WireError(
      0,
      `it has version ${theirs}, but this program uses version ${version}; the ` +
        "JavaScript and the wasm file come from different releases",
    );
  const row = kinds[number - 1];
  if (!row) throw new WireError(1, `the kind of message ${number} is unknown`);
  const body = row[1].read(r);
  if (r.left > 0) r.fail(`${r.left} bytes follow the message`);
  return { kind: row[0], id, body } as Message;
}
