// Return addresses that differ between functions in one place.
//
// The number of the function in them is known to all its calls. Kept in a local, it no longer sets apart
// what is the same in all functions: the way a function is called.

import { returnAddresses } from "./addresses.mjs";
import { op } from "./instructions.mjs";
import { hasStack } from "./stack.mjs";

const i32 = 0x7f;
const i64 = 0x7e;

/** The local that takes the first part: the first of 64 bits, so that it has one number in all functions. */
const base = 2;

/** A function, { locals, list }, with its number in a local of its own; locals are [count, type] in order. */
export function shareNumber({ locals, list }, number) {
  const addresses = returnAddresses(list, number);
  const stackAlone = locals.length > 0 && locals[0][0] === 1 && locals[0][1] === i32;
  if (!addresses?.length || !stackAlone || !hasStack(list)) return { locals, list };

  const [stack, first, ...rest] = locals;
  const widened = first?.[1] === i64 ? [[first[0] + 1, i64], ...rest] : [[1, i64], ...locals.slice(1)];
  const out = [list[0], list[1], { op: op.i64Const, a: BigInt(number) << 16n }, { op: op.localSet, a: base }];
  const places = new Map(addresses.map(({ at, place }) => [at, place]));
  list.forEach((i, n) => {
    if (n < 2) return;
    if (places.has(n)) {
      const place = { op: op.i64Const, a: BigInt(places.get(n)) };
      out.push({ op: op.localGet, a: base }, place, { op: op.i64Or });
    } else if (i.op >= op.localGet && i.op <= op.localTee && i.a >= base) out.push({ ...i, a: i.a + 1 });
    else out.push(i);
  });
  return { locals: [stack, ...widened], list: out };
}
