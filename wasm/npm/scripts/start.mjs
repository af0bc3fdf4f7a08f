// Adds to a WebAssembly module a function that runs before all others.

import { encode } from "./code/instructions.mjs";
import { unsigned, unsignedBytes } from "./leb128.mjs";
import { importedFunctions, mapSections, section } from "./sections.mjs";

/** The module with a function { locals, list } without parameters or results, run when it is instantiated. */
export function addStart(module, { locals, list }) {
  const body = [...unsignedBytes(locals.length), ...locals.flatMap(([count, type]) => [...unsignedBytes(count), type])];
  body.push(...encode(list));
  let number = importedFunctions(module);
  let type;
  return mapSections(
    module,
    (id, bytes) => {
      if (id === section.start) throw new Error("the module has a function that runs first");
      if (id === section.types) {
        type = countOf(bytes);
        return append(bytes, [0x60, 0, 0]);
      }
      if (id === section.functions) {
        number += countOf(bytes);
        return append(bytes, unsignedBytes(type));
      }
      return id === section.code ? append(bytes, [...unsignedBytes(body.length), ...body]) : bytes;
    },
    (id) => (id === section.exports ? [section.start, unsignedBytes(number)] : null),
  );
}

const countOf = (bytes) => unsigned({ bytes, at: 0 });

/** A section's list with one more element. */
function append(bytes, element) {
  const reader = { bytes, at: 0 };
  const count = unsigned(reader);
  return Buffer.concat([Buffer.from(unsignedBytes(count + 1)), bytes.subarray(reader.at), Buffer.from(element)]);
}
