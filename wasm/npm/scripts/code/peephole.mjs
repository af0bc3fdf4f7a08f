// Neighbouring instructions for which there are shorter ones.
//
// Go writes its code for a machine of 64 bits: it widens every truth value and narrows it to test it, and
// narrows every address.

import { isLoad, op } from "./instructions.mjs";

/** Comparisons and their opposites; of floats only those that hold for numbers that are none. */
const pairs = [
  ...[0x46, 0x47, 0x51, 0x52, 0x5b, 0x5c, 0x61, 0x62], // equal and not equal: i32, i64, f32, f64
  ...[0x48, 0x4e, 0x49, 0x4f, 0x4a, 0x4c, 0x4b, 0x4d], // i32: less and not less, greater and not greater
  ...[0x53, 0x59, 0x54, 0x5a, 0x55, 0x57, 0x56, 0x58], // i64
];
const opposite = new Map(pairs.map((operation, i) => [operation, pairs[i ^ 1]]));

/** Loads of i64 by the load of the low half of what they load. */
const lowLoad = new Map([
  [0x29, 0x28], // i64.load, i32.load
  [0x30, 0x2c], // i64.load8_s
  [0x31, 0x2d], // i64.load8_u
  [0x32, 0x2e], // i64.load16_s
  [0x33, 0x2f], // i64.load16_u
  [0x34, 0x28], // i64.load32_s
  [0x35, 0x28], // i64.load32_u
]);

/** Stores of the low bytes of an i64 by those of an i32. */
const lowStore = new Map([
  [0x3c, 0x3a], // i64.store8, i32.store8
  [0x3d, 0x3b], // i64.store16
  [0x3e, 0x36], // i64.store32
]);

const isTruth = (i) => i !== undefined && i.op >= op.i32Eqz && i.op <= 0x66; // comparisons
const extends32 = (i) => i.op === op.i64ExtendI32S || i.op === op.i64ExtendI32U;
const movesStack = (set, tee, add, amount) =>
  set?.op === op.globalSet &&
  set.a === 0 &&
  tee.op === op.localTee &&
  add.op === op.i32Add &&
  amount.op === op.i32Const;

/** What may stand for the last instructions, z the very last: [how many, by which], or undefined. */
function shorter(z, y, x, list) {
  switch (z.op) {
    case op.i32WrapI64:
      if (y.op === op.i64Const) return [2, { op: op.i32Const, a: Number(BigInt.asIntN(32, y.a)) }];
      if (extends32(y)) return [2];
      if (isLoad(y) && lowLoad.has(y.op)) return [2, { op: lowLoad.get(y.op), a: Math.min(y.a, 2), b: y.b }];
      return;
    case op.i64Eqz:
      return extends32(y) ? [2, { op: op.i32Eqz }] : undefined;
    case op.i32Eqz:
      if (opposite.has(y.op)) return [2, { op: opposite.get(y.op) }];
      return y.op === op.i32Eqz && isTruth(x) ? [2] : undefined;
    case op.if:
    case op.brIf:
      return y.op === op.i32Eqz && x?.op === op.i32Eqz ? [3, z] : undefined;
    case op.localGet:
      return y.op === op.localSet && y.a === z.a ? [2, { op: op.localTee, a: z.a }] : undefined;
    case op.localSet:
      if (y.op === op.localGet && y.a === z.a) return [2];
      return y.op === op.localTee && y.a === z.a ? [2, z] : undefined;
    case op.globalSet: {
      // The frame and the return address leave the stack in one step.
      const before = list.slice(-9);
      if (before.length < 9 || !movesStack(z, y, x, before[5]) || !movesStack(...before.slice(0, 4).reverse())) return;
      if (before[4].op !== op.localGet || before[4].a !== y.a || before[2].a !== y.a) return;
      return [9, { op: op.i32Const, a: before[0].a + before[5].a }, x, y, z];
    }
    default:
      return lowStore.has(z.op) && extends32(y) ? [2, { op: lowStore.get(z.op), a: z.a, b: z.b }] : undefined;
  }
}

/** The function with shorter instructions where there are any. */
export function shorten(list) {
  const out = [];
  for (const i of list) {
    if (i.op === op.nop) continue;
    out.push(i);
    while (out.length > 1) {
      const [z, y, x] = [out.at(-1), out.at(-2), out.at(-3)];
      const found = shorter(z, y, x, out);
      if (!found) break;
      const [count, ...by] = found;
      out.length -= count;
      out.push(...by);
      if (by.length !== 1 || by[0] === z) break;
    }
  }
  return out;
}
