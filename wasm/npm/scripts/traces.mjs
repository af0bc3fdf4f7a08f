// Takes out of a program's memory what only printed stacks read.
//
// Go keeps, for every function, its name, tables from places in the code to source files, lines and the
// functions that were compiled into it, and what its arguments are; a signal that interrupts a program has
// tables too, and WebAssembly has no signals. The names that are kept are those a printed stack then shows,
// with "?:0" where the line would be and without calls that were compiled into their caller. What the runtime
// needs to walk and scan stacks stays. The module compresses to a fifth less.

import { func, functionsOf, programOf } from "./pclntab.mjs";
import { byPlace, steps } from "./placetables.mjs";

/** Numbers of tables that say where a signal may interrupt, what was compiled in, which arguments live. */
const printed = [byPlace.unsafePoint, byPlace.inlined, byPlace.argsAlive];

/** Numbers of a function's data. */
const byFunction = { inlined: 3, args: 5, argsAlive: 6, wrapped: 7 };

/**
 * Clears the tables in a program's initial memory, which begins at an address, in place, and the names of
 * functions that are not to be kept.
 */
export function dropTraces(memory, address, keepName) {
  const program = programOf(memory, address);
  const data = [];
  for (const f of functionsOf(program)) {
    const inlined = f.data(byFunction.inlined);
    if (inlined) data.push([inlined, inlinedCall * (1 + largest(program, f.table(byPlace.inlined)))]);
    const args = f.data(byFunction.args);
    if (args) data.push([args, memory.indexOf(argsEnd, args) + 1 - args]);
    for (const number of printed) f.writeTable(number, 0);
    for (const number of Object.values(byFunction)) f.dropData(number);
    for (const field of [func.pcfile, func.pcln, func.cuOffset, func.startLine]) f.write(field, 0);
  }
  memory.fill(0, program.cuOffsets, program.tables); // files and their names
  for (const [at, size] of data) memory.fill(0, at, at + size);
  dropNames(program, keepName);
}

/** Bytes of an inlinedCall, and the byte that ends a description of arguments. */
const inlinedCall = 16;
const argsEnd = 0xff;

/** The largest value in a table; values start at -1, which means none. */
function largest(program, table) {
  return Math.max(-1, ...steps(program, table).map(({ value }) => value));
}

/** A function that Go wrote around another; it asks for its own name to say that it was called with nil. */
const wrapper = 23;

/** Clears the names that are not to be kept; their functions get an empty one. */
function dropNames(program, keepName) {
  const { memory, names, cuOffsets } = program;
  const bytes = Buffer.from(memory.buffer, memory.byteOffset, memory.byteLength);
  const all = [...functionsOf(program)].map((f) => {
    const start = names + f.name;
    const end = bytes.indexOf(0, start);
    return { f, start, end, kept: f.id === wrapper || keepName(bytes.toString("utf8", start, end)) };
  });
  const kept = all.filter((name) => name.kept).map(({ start, end }) => [start, memory.slice(start, end)]);
  memory.fill(0, names, cuOffsets);
  for (const [start, name] of kept) memory.set(name, start);
  const empty = memory.indexOf(0, names) - names;
  for (const { f, kept } of all) if (!kept) f.write(func.nameOff, empty);
}
