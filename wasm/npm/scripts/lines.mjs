// Takes the line numbers out of a program's memory.
//
// Go keeps, for every function, tables from places in the code to source files and lines, which only
// printed stacks read; they are a tenth of the program as hosts send it. Function names stay, so a stack
// still says what called what, with "?:0" where the line would be. Tables that the runtime needs to walk
// and scan stacks stay as they are.
//
// The layout is that of Go 1.20 and later: pcHeader and _func in runtime/symtab.go and runtime2.go.

import { unsigned } from "./leb128.mjs";

/** The header's magic number, two zeros, the size of an instruction and that of a pointer. */
const magic = Uint8Array.of(0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8);

/** Fields of a _func, by offset. A table at offset 0 is one that does not exist. */
const func = { pcsp: 16, pcfile: 20, pcln: 24, npcdata: 28, cuOffset: 32, startLine: 36, pcdata: 44 };

/** Clears the tables of files and lines in a program's initial memory, in place. */
export function dropLines(memory) {
  const header = Buffer.from(memory.buffer, memory.byteOffset, memory.byteLength).indexOf(magic);
  if (header < 0) throw new Error("no table of functions as Go 1.20 to 1.27 write it: does this Go lay it out anew?");
  const view = new DataView(memory.buffer, memory.byteOffset + header, memory.byteLength - header);
  const word = (i) => Number(view.getBigUint64(8 + 8 * i, true));
  const [count, , , , units, , tables, functions] = Array.from({ length: 8 }, (_, i) => word(i));

  const kept = new Uint8Array(functions - tables);
  const keep = (table) => {
    if (table === 0 || kept[table]) return;
    const reader = { bytes: memory, at: header + tables + table };
    skipTable(reader);
    kept.fill(1, table, reader.at - header - tables);
  };
  for (let i = 0; i < count; i++) {
    const at = functions + view.getUint32(functions + 8 * i + 4, true);
    const field = (offset) => view.getUint32(at + offset, true);
    keep(field(func.pcsp));
    for (let j = 0; j < field(func.npcdata); j++) keep(field(func.pcdata + 4 * j));
    for (const offset of [func.pcfile, func.pcln, func.cuOffset, func.startLine]) view.setUint32(at + offset, 0, true);
  }
  kept.forEach((used, i) => used || view.setUint8(tables + i, 0));
  memory.fill(0, header + units, header + tables); // names of files
}

/** Moves behind a table: pairs of a change of value and a change of place, ended by a zero after the first. */
function skipTable(reader) {
  for (let first = true; unsigned(reader) !== 0 || first; first = false) unsigned(reader);
}
