// Places on the stack by the offset of their load or store.
//
// Go adds an offset to its stack pointer, local 1, in 64 bits and narrows the sum to an address, though
// loads and stores have an offset of their own. The sum cannot leave 32 bits: the stack lies in memory.

import { isLoad, isStore, op } from "./instructions.mjs";

/** Whether a function begins by taking the stack pointer into local 1. */
export const hasStack = ([first, second]) =>
  first.op === op.globalGet && first.a === 0 && second?.op === op.localSet && second.a === 1;

/** The number that the five instructions at n add to the stack pointer to make an address, or -1. */
function offsetAt(list, n) {
  const [get, extend, constant, add, wrap] = list.slice(n, n + 5);
  const found =
    get.op === op.localGet &&
    get.a === 1 &&
    extend?.op === op.i64ExtendI32U &&
    constant?.op === op.i64Const &&
    add?.op === op.i64Add &&
    wrap?.op === op.i32WrapI64;
  return found && constant.a < 1n << 30n ? Number(constant.a) : -1;
}

/** How many values an instruction takes from the stack of WebAssembly and leaves there, or null. */
function effect(i) {
  const { op: o } = i;
  if (o === op.localGet || o === op.globalGet || (o >= op.i32Const && o <= op.f64Const)) return [0, 1];
  if (o === op.localSet || o === op.globalSet || o === op.drop) return [1, 0];
  if (o === op.localTee || isLoad(i)) return [1, 1];
  if (isStore(i)) return [2, 0];
  if (o === op.select) return [3, 1];
  if (o === op.wide) return i.raw[1] < 8 ? [1, 1] : null;
  if (o < op.i32Eqz || o > 0xc4) return null;
  return isUnary(o) ? [1, 1] : [2, 1];
}

/** Tests for zero, counts of bits, functions of one float, and conversions. */
const isUnary = (o) =>
  o === op.i32Eqz ||
  o === op.i64Eqz ||
  (o >= 0x67 && o <= 0x69) ||
  (o >= 0x79 && o <= 0x7b) ||
  (o >= 0x8b && o <= 0x91) ||
  (o >= 0x99 && o <= 0x9f) ||
  o >= op.i32WrapI64;

/** Where the load or store is whose address the instruction before n left on the stack, or -1. */
function userOf(list, n) {
  for (let height = 1; n < list.length; n++) {
    const [takes, leaves] = effect(list[n]) ?? [height, 0];
    if (takes >= height) return isLoad(list[n]) || (isStore(list[n]) && height === 2) ? n : -1;
    height += leaves - takes;
  }
  return -1;
}

/** The function with the offsets in its loads and stores. */
export function foldOffsets(list) {
  if (!hasStack(list)) return list;
  const out = [];
  list = list.slice();
  for (let n = 0; n < list.length; n++) {
    out.push(list[n]);
    const offset = list[n].op === op.localGet ? offsetAt(list, n) : -1;
    if (offset < 0) continue;
    n += 4;
    const user = userOf(list, n + 1);
    if (user < 0) out.push({ op: op.i32Const, a: offset }, { op: op.i32Add });
    else list[user] = { ...list[user], b: list[user].b + offset };
  }
  return out;
}
