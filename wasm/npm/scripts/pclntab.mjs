// Where Go's tables of functions lie in a program's initial memory.
//
// The layout is that of Go 1.26: pcHeader, moduledata and _func in runtime/symtab.go and runtime2.go, the
// numbers of tables and of special functions in internal/abi/symtab.go.

/** The header's magic number, two zeros, the size of an instruction and that of a pointer. */
const magic = Uint8Array.of(0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8);

/** Fields of a _func, by offset. A table at offset 0 is one that does not exist. */
export const func = {
  entry: 0,
  nameOff: 4,
  deferReturn: 12,
  pcsp: 16,
  pcfile: 20,
  pcln: 24,
  npcdata: 28,
  cuOffset: 32,
  startLine: 36,
  funcID: 40,
  nfuncdata: 43,
  pcdata: 44,
};

/** What an offset of a function's data says that has none. */
const noData = 0xffffffff;

/** Words of moduledata that are addresses, by number. */
const moduleData = { functions: 13, hints: 19, firstPlace: 20, lastPlace: 21, functionData: 40, length: 42 };

/** Where the parts of the program lie in its memory. */
export function programOf(memory, address) {
  const bytes = Buffer.from(memory.buffer, memory.byteOffset, memory.byteLength);
  const view = new DataView(memory.buffer, memory.byteOffset, memory.byteLength);
  const word = (at) => Number(view.getBigUint64(at, true));
  const header = bytes.indexOf(magic);
  if (header < 0) throw new Error("no table of functions as Go 1.20 to 1.27 write it");
  const [count, , , names, cuOffsets, , tables, functions] = Array.from({ length: 8 }, (_, i) =>
    word(header + 8 + 8 * i),
  );

  // moduledata begins with the address of the header, and that and the length of the names.
  const start = Buffer.alloc(24);
  [header + address, header + names + address, cuOffsets - names].forEach((n, i) =>
    start.writeBigUInt64LE(BigInt(n), 8 * i),
  );
  const at = bytes.indexOf(start);
  if (at < 0 || at + 8 * moduleData.length > bytes.length)
    throw new Error("no moduledata that begins as Go 1.26 writes it: does this Go lay it out anew?");
  const place = (number) => word(at + 8 * number) - address;
  if (place(moduleData.functions) !== header + functions) throw new Error("moduledata is not as Go 1.26 writes it");
  return {
    ...{ memory, view, address, count, places: place(moduleData.lastPlace) - place(moduleData.firstPlace) },
    ...{ names: header + names, cuOffsets: header + cuOffsets, tables: header + tables, functions: header + functions },
    ...{ hints: place(moduleData.hints), functionData: place(moduleData.functionData) },
  };
}

/** The functions in their order, and the tables and data that belong to each. */
export function* functionsOf({ memory, view, count, functions, functionData }) {
  for (let i = 0; i < count; i++) {
    const at = functions + view.getUint32(functions + 8 * i + 4, true);
    const field = (offset) => view.getUint32(at + offset, true);
    const write = (offset, value) => view.setUint32(at + offset, value, true);
    const tables = field(func.npcdata);
    const tableAt = (number) => func.pcdata + 4 * number;
    const dataAt = (number) => tableAt(tables + number);
    const hasData = (number) => number < memory[at + func.nfuncdata] && field(dataAt(number)) !== noData;
    yield {
      at,
      size: dataAt(memory[at + func.nfuncdata]),
      number: field(func.entry),
      deferReturn: field(func.deferReturn),
      id: memory[at + func.funcID],
      name: field(func.nameOff),
      stackTable: field(func.pcsp),
      table: (number) => (number < tables ? field(tableAt(number)) : 0),
      tables: () => Array.from({ length: tables }, (_, number) => field(tableAt(number))),
      data: (number) => (hasData(number) ? functionData + field(dataAt(number)) : 0),
      write,
      writeTable: (number, offset) => number < tables && write(tableAt(number), offset),
      dropData: (number) => hasData(number) && write(dataAt(number), noData),
    };
  }
}
