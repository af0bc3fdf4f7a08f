// What follows a call.
//
// A function of Go's returns 1 when the stack of WebAssembly has to be left, to go on with another
// goroutine, and the caller then leaves too: it branches out of all its blocks to the end, where it returns
// 1. How many blocks that are differs from call to call, which no compressor can guess; to return 1 on the
// spot takes more bytes and compresses to less. What follows the call of a function that never returns, a
// panic, is never run.

import { empty, op } from "./instructions.mjs";

/** The functions of Go's runtime that end in a panic or in the end of the program. */
const panics =
  /^runtime\.(goPanic\w+|panic(Index|Slice)\w*|panic(divide|shift|overflow|float|mem|wrap|rangestate|nildottype|dottype[EI]|makeslice(len|cap))|gopanic|sigpanic|throw|fatalthrow|fatalpanic)$/;

/** Whether a function of this name never returns but to leave the stack. */
export const neverReturns = (name) => panics.test(name);

/** Where the call at n is followed by what leaves the stack: the stack pointer is read again, then tested. */
const leaves = (list, n) =>
  (list[n].op === op.callIndirect || (list[n].op === op.call && is(list[n - 1], op.i32Const, 0))) &&
  is(list[n + 1], op.globalGet, 0) &&
  is(list[n + 2], op.localSet, 1) &&
  list[n + 3].op === op.brIf;

const is = (i, operation, operand) => i?.op === operation && i.a === operand;

/** The function with a shorter way out behind each call; `ends` tells of a call whether it never returns. */
export function shortenReturns(list, ends) {
  const out = [];
  for (let n = 0; n < list.length; n++) {
    out.push(list[n]);
    if (!leaves(list, n)) continue;
    if (ends(list[n])) {
      out.push({ op: op.return });
      n = lastUnreachable(list, n + 1);
    } else {
      const left = { op: op.if, a: empty };
      out.push(list[n + 1], list[n + 2], left, { op: op.i32Const, a: 1 }, { op: op.return }, { op: op.end, a: left });
      n += 3;
    }
  }
  return out;
}

/** The last instruction before the block ends, or its other branch begins, that the one at n lies in. */
function lastUnreachable(list, n) {
  for (let depth = 0; ; n++) {
    const { op: o } = list[n + 1];
    if (depth === 0 && (o === op.end || o === op.else)) return n;
    if (o >= op.block && o <= op.if) depth++;
    else if (o === op.end) depth--;
  }
}
