// Jumps forward go straight to their places.
//
// WebAssembly has no goto, so Go begins a function with a loop around as many nested blocks as there are
// places to jump to; a table at the innermost sends the number in local 0 to the end of one of them. Go
// jumps by setting local 0 and going round the loop, to which engines see no end: they must compile it as
// if every place could follow every other. A jump forward is a branch out of the block that ends there.

import { empty, isBlock, op } from "./instructions.mjs";

/** The loop and the table of a function that dispatches on local 0 and uses it for nothing else, or null. */
function dispatchOf(list) {
  const at = list.findIndex((i) => i.op === op.brTable);
  if (at < 1 || list[at - 1].op !== op.localGet || list[at - 1].a !== 0) return null;
  let first = at - 2;
  while (first >= 0 && list[first].op === op.block) first--;
  const loop = list[first];
  if (loop?.op !== op.loop) return null;
  for (let n = 0; n < list.length; n++) {
    const i = list[n];
    if (i.op === op.localGet && i.a === 0 && n !== at - 1) return null;
    if (i.op === op.localTee && i.a === 0) return null;
    if (i.op === op.brIf && i.a === loop) return null;
    const goes = i.op === op.br && i.a === loop;
    if (goes && !sets(list[n - 1], list[n - 2])) return null;
  }
  return { loop, table: list[at].a };
}

const sets = (set, constant) => set.op === op.localSet && set.a === 0 && constant.op === op.i32Const;

/** The function with direct jumps, an `if` around nothing but a jump as a conditional one. */
export function straightenJumps(list) {
  const dispatch = dispatchOf(list);
  if (!dispatch) return list;
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
