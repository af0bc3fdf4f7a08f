// Go's tables by place: what holds at each place of a function.
//
// A table is a list of steps: by how much the value changes, and for how many places it then holds; a change
// of none ends it. Functions whose tables are equal share them.

import { unsigned, unsignedBytes } from "./leb128.mjs";
import { func, functionsOf, programOf } from "./pclntab.mjs";

/** Numbers of a function's tables, but for that of the size of its frame, which has no number. */
export const byPlace = { unsafePoint: 0, stackMap: 1, inlined: 2, argsAlive: 3 };

/** The steps of a table, { value, until }: the value holds before that place. None for a table at 0, which is none. */
export function steps({ memory, tables }, table) {
  const reader = { bytes: memory, at: tables + table };
  const found = [];
  for (let value = -1, until = 0; table !== 0;) {
    const change = unsigned(reader);
    if (change === 0 && found.length > 0) break;
    value += change % 2 ? -(change + 1) / 2 : change / 2;
    until += unsigned(reader);
    found.push({ value, until });
  }
  return found;
}

/** The value at a place; the runtime takes the first stack map where there is none. */
const valueAt = (list, place) => Math.max(0, list.find(({ until }) => place < until)?.value ?? 0);

/** What a program says of its functions' places, by the functions' number, as numberPlaces asks for it. */
export function placesOf(memory, address) {
  const program = programOf(memory, address);
  const found = new Map();
  for (const f of functionsOf(program)) {
    const maps = steps(program, f.table(byPlace.stackMap));
    const heights = steps(program, f.stackTable);
    found.set(f.number, {
      mapAt: (place) => valueAt(maps, place),
      heightAt: (place) => valueAt(heights, place),
      deferReturn: f.deferReturn,
    });
  }
  return found;
}

/**
 * Writes the tables again, in place, when dropTraces has left no others: of the functions in `numbered`, by
 * their number, as numberPlaces gave them, of all others as they are.
 */
export function writePlaces(memory, address, numbered) {
  const program = programOf(memory, address);
  const written = [...functionsOf(program)].map((f) => {
    if (f.tables().some((table, number) => table !== 0 && number !== byPlace.stackMap))
      throw new Error("a function has a table by place that would be lost");
    const places = numbered.get(f.number);
    const heights = places ? stepsOf(places.heights) : steps(program, f.stackTable);
    const maps = places ? stepsOf(places.maps) : steps(program, f.table(byPlace.stackMap));
    return { f, heights, maps, deferReturn: places ? places.deferReturn : f.deferReturn };
  });
  const tables = new Tables();
  for (const { f, heights, maps, deferReturn } of written) {
    f.write(func.deferReturn, deferReturn);
    f.write(func.pcsp, tables.add(heights));
    const first = maps.every(({ value }) => value <= 0);
    f.writeTable(byPlace.stackMap, first ? 0 : tables.add(maps));
  }
  if (tables.bytes.length > program.functions - program.tables) throw new Error("the tables by place do not fit");
  memory.fill(0, program.tables, program.functions);
  memory.set(tables.bytes, program.tables);
}

/** Tables one behind the other, equal ones once. */
class Tables {
  bytes = [0];
  #offsets = new Map();

  /** Where the table with these steps begins. */
  add(list) {
    if (list.length === 0) return 0;
    const table = encode(list);
    const key = table.join();
    if (!this.#offsets.has(key)) {
      this.#offsets.set(key, this.bytes.length);
      for (const byte of table) this.bytes.push(byte);
    }
    return this.#offsets.get(key);
  }
}

/** How long the last value of a table holds, so that functions of different lengths have equal tables. */
const ever = [127, 65535];

/** The steps to values by place; where there is none, the one before holds. */
function stepsOf(values) {
  const list = [];
  values.forEach((value, place) => {
    const last = list.at(-1);
    if (value === last?.value) return;
    if (last) last.until = place;
    list.push({ value, until: 0 });
  });
  const from = list.at(-2)?.until ?? 0;
  for (const last of list.slice(-1)) last.until = from + ever.find((places) => from + places >= values.length);
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
