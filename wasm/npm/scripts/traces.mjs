// Takes out of a program's memory what only printed stacks read.
//
// Go keeps, for every function, tables from places in the code to source files, lines and the functions
// that were compiled into it, and what its arguments are; a signal that interrupts a program has tables
// too, and WebAssembly has no signals. Function names stay, so a stack still says what called what, with
// "?:0" where the line would be and without calls that were compiled into their caller. Tables that the
// runtime needs to walk and scan stacks stay as they are. The module compresses to a sixth less.
//
// The layout is that of Go 1.26: pcHeader, moduledata, _func and findfuncbucket in runtime/symtab.go and
// runtime2.go, the numbers of tables in internal/abi/symtab.go.

import { unsigned } from "./leb128.mjs";

/** The header's magic number, two zeros, the size of an instruction and that of a pointer. */
const magic = Uint8Array.of(0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8);

/** Fields of a _func, by offset. A table at offset 0 is one that does not exist. */
const func = { pcsp: 16, pcfile: 20, pcln: 24, npcdata: 28, cuOffset: 32, startLine: 36, nfuncdata: 43, pcdata: 44 };

/** Numbers of tables by place: where a signal may interrupt, what was compiled in, which arguments live. */
const byPlace = { unsafePoint: 0, inlined: 2, argsAlive: 3 };

/** Numbers of a function's data, of which none is at offset noData. */
const byFunction = { inlined: 3, args: 5, argsAlive: 6, wrapped: 7 };
const noData = 0xffffffff;

/** Words of moduledata that are addresses, by number, and how many functions share a hint to find them. */
const moduleData = { functions: 13, hints: 19, firstPlace: 20, lastPlace: 21, functionData: 40, length: 42 };
const sharedHint = 8;

/** Clears the tables in a program's initial memory, which begins at an address, in place. */
export function dropTraces(memory, address) {
  const program = programOf(memory, address);
  const data = [];
  const kept = new Uint8Array(program.functions - program.tables);
  for (const f of functionsOf(program)) {
    const inlined = f.data(byFunction.inlined);
    if (inlined) data.push([inlined, inlinedCall * (1 + largest(program, f.table(byPlace.inlined)))]);
    const args = f.data(byFunction.args);
    if (args) data.push([args, memory.indexOf(argsEnd, args) + 1 - args]);
    for (const table of Object.values(byPlace)) f.dropTable(table);
    for (const number of Object.values(byFunction)) f.dropData(number);
    for (const table of [f.stackTable, ...f.tables]) keep(program, table, kept);
    for (const field of [func.pcfile, func.pcln, func.cuOffset, func.startLine]) f.clear(field);
  }
  kept.forEach((used, i) => used || (memory[program.tables + i] = 0));
  memory.fill(0, program.units, program.tables); // names of files
  for (const [at, size] of data) memory.fill(0, at, at + size);
  shareHints(program);
}

/** Bytes of an inlinedCall, and the byte that ends a description of arguments. */
const inlinedCall = 16;
const argsEnd = 0xff;

/** Where the parts of the program lie in its memory. */
function programOf(memory, address) {
  const bytes = Buffer.from(memory.buffer, memory.byteOffset, memory.byteLength);
  const view = new DataView(memory.buffer, memory.byteOffset, memory.byteLength);
  const word = (at) => Number(view.getBigUint64(at, true));
  const header = bytes.indexOf(magic);
  if (header < 0) throw new Error("no table of functions as Go 1.20 to 1.27 write it");
  const [count, , , names, units, , tables, functions] = Array.from({ length: 8 }, (_, i) => word(header + 8 + 8 * i));

  // moduledata begins with the address of the header, and that and the length of the names.
  const start = Buffer.alloc(24);
  [header + address, header + names + address, units - names].forEach((n, i) =>
    start.writeBigUInt64LE(BigInt(n), 8 * i),
  );
  const at = bytes.indexOf(start);
  if (at < 0 || at + 8 * moduleData.length > bytes.length)
    throw new Error("no moduledata that begins as Go 1.26 writes it: does this Go lay it out anew?");
  const place = (number) => word(at + 8 * number) - address;
  if (place(moduleData.functions) !== header + functions) throw new Error("moduledata is not as Go 1.26 writes it");
  return {
    ...{ memory, view, count, places: place(moduleData.lastPlace) - place(moduleData.firstPlace) },
    ...{ units: header + units, tables: header + tables, functions: header + functions },
    ...{ hints: place(moduleData.hints), functionData: place(moduleData.functionData) },
  };
}

function* functionsOf({ memory, view, count, functions, functionData }) {
  for (let i = 0; i < count; i++) {
    const at = functions + view.getUint32(functions + 8 * i + 4, true);
    const field = (offset) => view.getUint32(at + offset, true);
    const write = (offset, value) => view.setUint32(at + offset, value, true);
    const tables = field(func.npcdata);
    const tableAt = (number) => func.pcdata + 4 * number;
    const dataAt = (number) => tableAt(tables + number);
    const hasData = (number) => number < memory[at + func.nfuncdata] && field(dataAt(number)) !== noData;
    yield {
      stackTable: field(func.pcsp),
      table: (number) => (number < tables ? field(tableAt(number)) : 0),
      tables: Array.from({ length: tables }, (_, number) => number)
        .filter((number) => !Object.values(byPlace).includes(number))
        .map((number) => field(tableAt(number))),
      data: (number) => (hasData(number) ? functionData + field(dataAt(number)) : 0),
      dropTable: (number) => number < tables && write(tableAt(number), 0),
      dropData: (number) => hasData(number) && write(dataAt(number), noData),
      clear: (offset) => write(offset, 0),
    };
  }
}

/** The steps of a table: changes of its value, and where the table ends. */
function steps({ memory, tables }, table) {
  const reader = { bytes: memory, at: tables + table };
  const changes = [];
  for (;;) {
    const change = unsigned(reader);
    if (change === 0 && changes.length > 0) return { changes, end: reader.at - tables };
    changes.push(change % 2 ? -(change + 1) / 2 : change / 2);
    unsigned(reader);
  }
}

/** The largest value in a table; values start at -1, which means none. */
function largest(program, table) {
  let value = -1;
  return table === 0 ? value : Math.max(...steps(program, table).changes.map((change) => (value += change)));
}

function keep(program, table, kept) {
  if (table !== 0 && !kept[table]) kept.fill(1, table, steps(program, table).end);
}

/**
 * Functions are found by a hint and steps forward from it. Go has a hint for every 4096 places, and a
 * function takes 65536; one hint for eight functions leaves a sixth of what they compress to.
 */
function shareHints({ view, places, hints }) {
  const size = 20; // the number of a function, and how many further on it is for sixteenths, which is 0
  for (let i = 0; i < places / 4096; i++) {
    const hint = view.getUint32(hints + size * i, true);
    if (hint !== Math.floor(i / 16)) throw new Error("a hint is not that of a function for each 65536 places");
    view.setUint32(hints + size * i, hint - (hint % sharedHint), true);
  }
}
