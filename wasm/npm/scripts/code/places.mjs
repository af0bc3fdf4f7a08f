// The places of a function, numbered as its blocks are.
//
// When the stack of WebAssembly was left, a function is called again with the number of the place at which
// it goes on; a table at its begin leads from there to the end of a block. Go counts on where a source line
// begins too, and ends a block at every place that a jump could have, so that the table repeats itself
// irregularly. Here only places that are gone on from have a block, and their numbers are those of the
// blocks. The return address of a call that never comes back only says how the stack is scanned, and may
// be that of any other call at which the stack holds the same. The module compresses to 8 % less.

import { returnAddresses } from "./addresses.mjs";
import { op } from "./instructions.mjs";
import { dispatchOf, dropBlocks, jumpsTo } from "./jumps.mjs";

/**
 * The function with its places numbered anew: { list, maps, heights, deferReturn }. By new number, `maps` says
 * which stack map holds (asked at the number before a return address) and `heights` how large the frame is
 * (at the return address itself); both have holes where nothing asks. Null for a function that is not as
 * expected.
 *
 * `number` is the function's own, `ends` tells of a call whether it never returns, and `old` says of the old
 * places { mapAt(place), heightAt(place), deferReturn: where deferred calls are run, or 0 }.
 */
export function numberPlaces(list, number, ends, old) {
  const dispatch = dispatchOf(list);
  const calls = returnAddresses(list, number);
  if (!dispatch || !calls) return null;
  const { at, loop, blocks, table } = dispatch;
  if (table.some((target) => !blocks.includes(target))) return null;
  const blockOf = (place) => table[Math.min(place, table.length - 1)];
  const resumed = calls.filter(({ place, call }) => place !== 0 && !ends(list[call]) && !dies(list, call));
  if (resumed.some(({ place, call }) => goesOnAfter(list, call) !== blockOf(place))) return null;
  const jumps = list.flatMap((_, n) => (loop && jumpsTo(list, n, loop) ? [n - 2] : []));

  const targets = list.flatMap((i) => (i.op === op.br || i.op === op.brIf ? [i.a] : []));
  const places = [0, old.deferReturn, ...resumed.map(({ place }) => place), ...jumps.map((n) => list[n].a)];
  const needed = new Set([...places.map(blockOf), ...targets]);
  const kept = blocks.filter((block) => needed.has(block));
  const numbered = (place) => kept.indexOf(blockOf(place));

  const told = new Told(old);
  const deferReturn = old.deferReturn && numbered(old.deferReturn);
  if (old.deferReturn && (deferReturn === 0 || !told.same(deferReturn + 1, old.deferReturn + 1))) return null;
  if (!resumed.every(({ place }) => told.same(numbered(place), place))) return null;

  const out = list.slice();
  out[at] = { op: op.brTable, a: kept };
  for (const n of jumps) out[n] = { ...out[n], a: numbered(out[n].a) };
  for (const call of calls) {
    const place = resumed.includes(call) ? numbered(call.place) : told.find(call.place);
    out[call.at] = { op: op.i64Const, a: (BigInt(number) << 16n) | BigInt(place) };
  }
  if (kept.length === 1) out.splice(at - 1, 2);
  return { list: dropBlocks(out), maps: told.maps, heights: told.heights, deferReturn };
}

/** What the new return addresses say, by what the old ones said. */
class Told {
  maps = [];
  #old;

  constructor(old) {
    this.#old = old;
    this.heights = [old.heightAt(0)];
  }

  /** Has a return address say what an old one said; false where it already says otherwise. */
  same(place, oldPlace) {
    const map = this.#old.mapAt(oldPlace - 1);
    const height = this.#old.heightAt(oldPlace);
    if ((this.maps[place - 1] ?? map) !== map || (this.heights[place] ?? height) !== height) return false;
    this.maps[place - 1] = map;
    this.heights[place] = height;
    return true;
  }

  /** The first return address that says, or may say, what an old one said; the begin of a function stays that. */
  find(oldPlace) {
    if (oldPlace === 0) return 0;
    let place = 1;
    while (!this.same(place, oldPlace)) place++;
    return place;
  }
}

/** Whether the program ends where the call at n comes back to leave the stack. */
const dies = (list, n) =>
  list[n + 1].op === op.globalGet &&
  list[n + 2].op === op.localSet &&
  list[n + 3].op === op.if &&
  list[n + 4].op === op.unreachable;

/** The block at whose end a function goes on when the call at n returns, or undefined. */
function goesOnAfter(list, n) {
  const [pointer, local, left, one, leaves, end, block] = list.slice(n + 1, n + 8);
  const found =
    pointer.op === op.globalGet &&
    local?.op === op.localSet &&
    left?.op === op.if &&
    one?.op === op.i32Const &&
    leaves?.op === op.return &&
    end?.a === left &&
    block?.op === op.end;
  return found ? block.a : undefined;
}
