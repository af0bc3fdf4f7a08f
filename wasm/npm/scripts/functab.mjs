// Has a program write its own table of functions.
//
// The table's entries, and the hints by which functions are found, follow from a function's number and from
// where the one before it ends: 1.5 MB that compress to 40 KB, where the code that writes them, which the
// browser runs before the program begins, takes 120 bytes.

import { empty, op } from "./code/instructions.mjs";
import { func, functionsOf, programOf } from "./pclntab.mjs";

const entry = 8; // bytes: the number of a function, and where its _func lies from the table on
const hint = 20; // bytes: the number of a function, and how much further for sixteenths of the places
const hintPlaces = 4096;
const functionPlaces = 65536;

/** Clears the table in a program's initial memory, in place. Returns what writeTable needs to know. */
export function clearTable(memory, address) {
  const program = programOf(memory, address);
  const { view, count, functions, hints, places } = program;
  const table = {
    table: functions + address,
    count,
    hints: hints + address,
    hintCount: Math.ceil(places / hintPlaces),
  };
  const all = [...functionsOf(program)];
  table.first = all[0].at + address;
  table.number = view.getUint32(functions, true);
  all.forEach((f, i) => {
    const follows = i === 0 || f.at === all[i - 1].at + 8 * Math.ceil(all[i - 1].size / 8);
    const numbered = [functions + entry * i, f.at].every((at) => view.getUint32(at, true) === table.number + i);
    if (!follows || !numbered) throw new Error("the functions' table is not in the order of their numbers");
  });
  for (let i = 0; i < table.hintCount; i++) {
    const at = hints + hint * i;
    const number = Math.floor((i * hintPlaces) / functionPlaces);
    if (
      view.getUint32(at, true) !== number ||
      memory.subarray(at + 4, i + 1 < table.hintCount ? at + hint : at + 5).some(Boolean)
    )
      throw new Error("a hint is not the number of the function that it leads to");
  }
  for (const { at } of all) view.setUint32(at, 0, true);
  memory.fill(0, functions, functions + entry * count);
  memory.fill(0, hints, hints + hint * (table.hintCount - 1) + 4); // the last is cut short
  return table;
}

const constant = (a) => ({ op: op.i32Const, a });
const get = (a) => ({ op: op.localGet, a });
const load = (operation, b) => ({ op: operation, a: 0, b });
const store = (b = 0) => ({ op: op.i32Store, a: 0, b });
const plain = (o) => ({ op: o });
const add = plain(op.i32Add);
const multiply = plain(op.i32Mul);

/** Does `list` for local 0 from 0 to count. */
function repeat(count, list) {
  const loop = { op: op.loop, a: empty };
  const step = [get(0), constant(1), add, { op: op.localTee, a: 0 }, constant(count), plain(op.i32LtU)];
  const begin = [constant(0), { op: op.localSet, a: 0 }, loop];
  return [...begin, ...list, ...step, { op: op.brIf, a: loop }, { op: op.end, a: loop }];
}

/** The function without parameters that writes the table again: { locals, list }. */
export function writeTable({ table, count, first, number, hints, hintCount }) {
  const place = [get(0), constant(entry), multiply];
  const numbered = [get(0), constant(number), add];
  const size = [
    ...[get(1), load(op.i32Load, func.npcdata), get(1), load(op.i32Load8U, func.nfuncdata), add],
    ...[constant(4), multiply, constant(func.pcdata + 7), add, constant(-8), plain(op.i32And)],
  ];
  const entries = [
    ...[...place, ...numbered, store(table)],
    ...[...place, get(1), constant(table), plain(op.i32Sub), store(table + 4)],
    ...[get(1), ...numbered, store()],
    ...[get(1), ...size, add, { op: op.localSet, a: 1 }],
  ];
  const perFunction = functionPlaces / hintPlaces;
  const found = [get(0), constant(hint), multiply, get(0), constant(perFunction), plain(op.i32DivU), store(hints)];
  const list = [
    ...[constant(first), { op: op.localSet, a: 1 }],
    ...[...repeat(count, entries), ...repeat(hintCount, found), { op: op.end }],
  ];
  return { locals: [[2, 0x7f]], list };
}
