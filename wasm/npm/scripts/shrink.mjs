// Makes the module that Go built as small as a host sends it: its code, its memory, its table of functions.

import { rewriteCode } from "./code.mjs";
import { rewriteData } from "./data.mjs";
import { clearTable, writeTable } from "./functab.mjs";
import { addStart } from "./start.mjs";
import { dropTraces } from "./traces.mjs";

/**
 * The module without what the program does not need, and without the names of functions that are not to be
 * kept. A Go that lays its tables out anew gives a larger file, not a broken one.
 */
export function shrink(module, keepName) {
  let table = null;
  const shrunk = rewriteData(rewriteCode(module), (memory, address) => {
    try {
      dropTraces(memory, address, keepName);
      table = clearTable(memory, address);
    } catch (cause) {
      console.warn(`${cause.message} The wasm file keeps tables of functions and is a third larger.`);
    }
  });
  return table ? addStart(shrunk, writeTable(table)) : shrunk;
}
