// Go's tables by place: what holds at each place of a function, as steps from one value to the next.
//
// A table is changes of its value and how many places each value holds for, and ends with a change of none.
// Functions whose tables are equal share them.

import { unsigned, unsignedBytes } from "./leb128.mjs";
import { func, functionsOf, programOf } from "./pclntab.mjs";

/** Numbers of a function's tables, but for that of the size of its frame, which has no number. */
export const byPlace = { unsafePoint: 0, stackMap: 1, inlined: 2, argsAlive: 3 };

/** The steps of a table, { value, until }: values start at -1. None for a table that does not exist. */
export function steps({ memory, tables }, table) {
  const reader = { bytes: memory, at: tables + table };
  const found = [];
  for (let value = -1, until = 0; table !== 0; ) {
    const change = unsigned(reader);
    if (change === 0 && found.length > 0) break;
    value += change % 2 ? -(change + 1) / 2 : change / 2;
    until += unsigned(reader);
    found.push({ value, until });
  }
  return found;
}

/** What the program's functions say of their places, by their number: see numberPlaces. */
export function placesOf(memory, address) {
  const program = programOf(memory, address);
  const found = new Map();
  for (const f of functionsOf(program)) {
    const maps = steps(program, f.table(byPlace.stackMap));
    const heights = steps(program, f.stackTable);
    const at = (list, place) => Math.max(0, list.find(({ until }) => place < until)?.value ?? -1); // none counts as the first
    const { deferReturn } = f;
    found.set(f.number, { mapAt: (place) => at(maps, place), heightAt: (place) => at(heights, place), deferReturn });
  }
  return found;
}

/** Writes the tables anew, in place, of the functions that `numbered` has, by number, and of the others as they are. */
export function writePlaces(memory, address, numbered) {
  const program = programOf(memory, address);
  const offsets = new Map();
  let bytes = [0];
  const offsetOf = (list) => {
    const table = encode(list);
    const key = table.join();
    if (!offsets.has(key)) {
      offsets.set(key, bytes.length);
      bytes = bytes.concat(table);
    }
    return offsets.get(key);
  };
  const written = [...functionsOf(program)].map((f) => {
    const places = numbered.get(f.number);
    const maps = places ? stepsOf(places.maps) : steps(program, f.table(byPlace.stackMap));
    const heights = places ? stepsOf(places.heights) : steps(program, f.stackTable);
    return { f, heights, maps, deferReturn: places ? places.deferReturn : f.deferReturn };
  });
  for (const { f, heights, maps, deferReturn } of written) {
    f.write(func.pcsp, heights.length ? offsetOf(heights) : 0);
    f.write(func.deferReturn, deferReturn);
    f.writeTable(byPlace.stackMap, maps.some(({ value }) => value > 0) ? offsetOf(maps) : 0);
  }
  if (bytes.length > program.functions - program.tables) throw new Error("the tables by place do not fit");
  memory.fill(0, program.tables, program.functions);
  memory.set(bytes, program.tables);
}

/** The steps to values by place; where there is none, the one before holds. */
function stepsOf(values) {
  const list = [];
  values.forEach((value, place) => {
    const last = list.at(-1);
    if (last && value === last.value) return;
    if (last) last.until = place;
    list.push({ value, until: 0 });
  });
  const last = list.at(-1);
  if (last) last.until = (list.at(-2)?.until ?? 0) + (values.length - (list.at(-2)?.until ?? 0) < 128 ? 127 : 65535);
  return list;
}

function encode(list) {
  const bytes = [];
  let [value, until] = [-1, 0];
  for (const step of list) {
    const change = step.value - value;
    bytes.push(...unsignedBytes(change < 0 ? -2 * change - 1 : 2 * change), ...unsignedBytes(step.until - until));
    ({ value, until } = step);
  }
  return [...bytes, 0];
}
