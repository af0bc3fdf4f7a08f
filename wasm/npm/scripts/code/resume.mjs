// Return addresses that differ between functions in one place.
//
// Before a call, Go stores where to go on: the number of the function, which its callers all know, times
// 65536, plus the number of the place in it. Kept in a local, the first part no longer sets apart what is
// the same in all functions: the way a function is called.

import { op } from "./instructions.mjs";
import { hasStack } from "./stack.mjs";

const i32 = 0x7f;
const i64 = 0x7e;

/** The local that takes the first part: the first of 64 bits, so that it has one number in all functions. */
const base = 2;

/** Whether the instruction at n is a return address, stored just before a call. */
const isAddress = (list, n) =>
  list[n].op === op.i64Const &&
  list[n + 1].op === op.i64Store &&
  list[n + 1].b === 0 &&
  list[n + 2].op === op.i32Const &&
  list[n + 3].op === op.call &&
  list[n - 1].op === op.localGet &&
  list[n - 1].a === 1;

/** A function, { locals, list }, with its number in a local of its own; locals are [count, type] in order. */
export function shareNumber({ locals, list }) {
  const addresses = list.filter((_, n) => isAddress(list, n));
  const [number, ...others] = new Set(addresses.map((i) => i.a >> 16n));
  const stackAlone = locals.length > 0 && locals[0][0] === 1 && locals[0][1] === i32;
  if (number === undefined || others.length > 0 || !stackAlone || !hasStack(list)) return { locals, list };

  const [stack, first, ...rest] = locals;
  const widened = first?.[1] === i64 ? [[first[0] + 1, i64], ...rest] : [[1, i64], ...locals.slice(1)];
  const out = [list[0], list[1], { op: op.i64Const, a: number << 16n }, { op: op.localSet, a: base }];
  const places = new Set(addresses);
  for (const i of list.slice(2)) {
    if (places.has(i)) {
      const place = { op: op.i64Const, a: i.a & 0xffffn };
      out.push({ op: op.localGet, a: base }, place, { op: op.i64Or });
    } else if (i.op >= op.localGet && i.op <= op.localTee && i.a >= base) out.push({ op: i.op, a: i.a + 1 });
    else out.push(i);
  }
  return { locals: [stack, ...widened], list: out };
}
