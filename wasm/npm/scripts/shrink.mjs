// Makes the module that Go built as small as a host sends it: its code, its memory, its table of functions.

import { rewriteCode } from "./code.mjs";
import { imageOf, rewriteData } from "./data.mjs";
import { clearTable, writeTable } from "./functab.mjs";
import { placesOf, writePlaces } from "./placetables.mjs";
import { addStart } from "./start.mjs";
import { dropTraces } from "./traces.mjs";

/**
 * The module without what the program does not need, and without the names of functions that are not to be
 * kept. A Go that lays its tables out anew gives a larger file, not a broken one.
 */
export function shrink(module, keepName) {
  try {
    return shrinkTables(module, keepName);
  } catch (cause) {
    console.warn(`${cause.message} The wasm file keeps tables of functions and is a third larger.`);
    return rewriteData(rewriteCode(module));
  }
}

function shrinkTables(module, keepName) {
  const { bytes, address } = imageOf(module);
  const places = placesOf(bytes, address);
  const numbered = new Map();
  const code = rewriteCode(
    module,
    (number) => places.get(number),
    (number, tables) => numbered.set(number, tables),
  );
  let table;
  const shrunk = rewriteData(code, (memory, address) => {
    dropTraces(memory, address, keepName);
    writePlaces(memory, address, numbered);
    table = clearTable(memory, address);
  });
  return addStart(shrunk, writeTable(table));
}
