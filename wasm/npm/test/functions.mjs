// Functions of WebAssembly made for a test, and what they do.
import { encode, op } from "../scripts/code/instructions.mjs";
import { unsignedBytes } from "../scripts/leb128.mjs";

export const i32 = 0x7f;
export const i64 = 0x7e;
const sectionOf = (id, ...bytes) => [id, ...unsignedBytes(bytes.length), ...bytes];

/**
 * A module with a memory m, the stack pointer in a global s, and functions of an i32 that return one, each
 * { locals, list }; the last is exported as f.
 */
export function moduleOf(...functions) {
  const bodies = functions.map(({ locals = [], list }) => {
    const body = [locals.length, ...locals.flat(), ...encode(list)];
    return [...unsignedBytes(body.length), ...body];
  });
  return Uint8Array.of(
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...sectionOf(1, 1, 0x60, 1, i32, 1, i32),
    ...sectionOf(3, bodies.length, ...bodies.map(() => 0)),
    ...sectionOf(5, 1, 0, 1),
    ...sectionOf(6, 1, i32, 1, 0x41, ...[0x80, 0x02], 0x0b), // s, 256 at first
    ...sectionOf(7, 3, 1, 0x66, 0, bodies.length - 1, 1, 0x6d, 2, 0, 1, 0x73, 3, 0),
    ...sectionOf(10, bodies.length, ...bodies.flat()),
  );
}

/** What f returns and leaves in memory and the stack pointer for a few numbers. */
export function outcomes(...functions) {
  return [-5, 0, 1, 2, 3, 7, 2 ** 31 - 1].map((n) => {
    const { f, m, s } = new WebAssembly.Instance(new WebAssembly.Module(moduleOf(...functions))).exports;
    return [f(n), s.value, Buffer.from(m.buffer, 0, 600).toString("hex")];
  });
}

export const get = (a) => ({ op: op.localGet, a });
export const set = (a) => ({ op: op.localSet, a });
export const tee = (a) => ({ op: op.localTee, a });
export const word = (a) => ({ op: op.i32Const, a });
export const long = (a) => ({ op: op.i64Const, a: BigInt(a) });
export const plain = (...codes) => codes.map((o) => ({ op: o }));
export const takeStack = [{ op: op.globalGet, a: 0 }, set(1)];
export const moveStack = [tee(1), { op: op.globalSet, a: 0 }];
export const memory = (operation, b = 0) => ({ op: operation, a: 0, b });
export const ends = (block) => ({ op: op.end, a: block });
export const codes = (list) => list.map((i) => i.op);
