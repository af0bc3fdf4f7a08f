// Return addresses: before a call, Go stores where to go on.
//
// An address is the number of the function, times 65536, plus the number of the place in it.

import { op } from "./instructions.mjs";

const places = 65536;

/** The call before which the instruction at n stores its constant on the stack as return address, or -1. */
function callAfter(list, n) {
  const [pointer, , store, next] = list.slice(n - 1, n + 3);
  if (pointer?.op !== op.localGet || pointer.a !== 1 || store?.op !== op.i64Store || store.b !== 0) return -1;
  if (next?.op === op.i32Const) return list[n + 3]?.op === op.call ? n + 3 : -1;
  const [sixteen, shift, wrap, set, place, get, call] = list.slice(n + 2, n + 9);
  const indirect =
    sixteen?.op === op.i64Const &&
    shift?.op === op.i64ShrU &&
    wrap?.op === op.i32WrapI64 &&
    set?.op === op.localSet &&
    place?.op === op.i32Const &&
    get?.op === op.localGet &&
    call?.op === op.callIndirect;
  return indirect ? n + 8 : -1;
}

/**
 * The return addresses that a function stores: { at, call, place }, the numbers of the instructions that name
 * and that follow it, and the place's number. Null where its number is part of a constant that is none.
 */
export function returnAddresses(list, number) {
  const found = [];
  for (let n = 0; n < list.length; n++) {
    const { op: operation, a } = list[n];
    if (operation !== op.i64Const || a >> 16n !== BigInt(number)) continue;
    const call = callAfter(list, n);
    const place = Number(a) % places;
    if (call >= 0) found.push({ at: n, call, place });
    else if (place !== 0) return null;
  }
  return found;
}
