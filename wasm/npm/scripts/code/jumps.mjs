// Jumps forward go straight to their places.
//
// WebAssembly has no goto, so Go begins a function with a loop around as many nested blocks as there are
// places to jump to; a table at the innermost sends the number in local 0 to the end of one of them. Go
// jumps by setting local 0 and going round the loop, to which engines see no end: they must compile it as
// if every place could follow every other. A jump forward is a branch out of the block that ends there.

import { empty, isBlock, op } from "./instructions.mjs";

/**
 * How a function dispatches on local 0, or null: { at, table, blocks, loop }, where the instruction is that does
 * so, its targets, the blocks around it from the innermost on, and the loop around those, if there is one.
 * Local 0 serves nothing else but to order the operands of indirect calls.
 */
export function dispatchOf(list) {
  const at = list.findIndex((i) => i.op === op.brTable);
  if (at < 1 || !reads(list[at - 1])) return null;
  let first = at - 2;
  while (first >= 0 && list[first].op === op.block) first--;
  const blocks = list.slice(first + 1, at - 1).reverse();
  const loop = list[first]?.op === op.loop ? list[first] : undefined;
  const table = list[at].a;
  for (let n = 0; n < list.length; n++) {
    const i = list[n];
    if (reads(i) && n !== at - 1 && !ordersOperands(list, n)) return null;
    if (i.op === op.localTee && i.a === 0) return null;
    if (i.op === op.brTable && n !== at) return null;
    if (loop && i.op === op.brIf && i.a === loop) return null;
    if (loop && i.op === op.br && i.a === loop && !jumpsTo(list, n, loop)) return null;
  }
  return { at, table, blocks, loop };
}

const reads = (i) => i.op === op.localGet && i.a === 0;
const sets = (i) => i.op === op.localSet && i.a === 0;

/** Whether the instruction at n reads the function to be called, kept in local 0 while the place goes before it. */
const ordersOperands = (list, n) =>
  sets(list[n - 2]) && list[n - 1].op === op.i32Const && list[n + 1].op === op.callIndirect;

/** Whether the instruction at n jumps by the dispatch in a loop, to the place in the constant two before. */
export const jumpsTo = (list, n, loop) =>
  list[n].op === op.br && list[n].a === loop && sets(list[n - 1]) && list[n - 2].op === op.i32Const;

/** The function with direct jumps, an `if` around nothing but a jump as a conditional one. */
export function straightenJumps(list) {
  const dispatch = dispatchOf(list);
  if (!dispatch?.loop) return list;
  const { loop, table } = dispatch;
  const ended = new Set();
  const out = [];
  for (const i of list) {
    if (i.op === op.end) ended.add(i.a);
    if (i.op === op.br && i.a === loop) {
      const place = table[Math.min(out.at(-2).a >>> 0, table.length - 1)];
      if (place.op === op.block && !ended.has(place)) {
        out.length -= 2;
        out.push({ op: op.br, a: place });
        continue;
      }
    }
    const [condition, jump] = out.slice(-2);
    if (i.op === op.end && jump?.op === op.br && condition === i.a && condition.op === op.if && condition.a === empty) {
      out.length -= 2;
      out.push({ op: op.brIf, a: jump.a });
      continue;
    }
    out.push(i);
  }
  return out;
}

/** The function without the blocks that nothing branches to. */
export function dropBlocks(list) {
  const used = new Set(list.flatMap((i) => (i.op >= op.br && i.op <= op.brTable ? i.a : [])));
  const idle = (block) => isBlock(block) && block.op !== op.if && block.a === empty && !used.has(block);
  return list.filter((i) => !idle(i.op === op.end ? i.a : i));
}
