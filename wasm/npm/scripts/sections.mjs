// The sections of a WebAssembly module, in their order.

import { signed, unsigned, unsignedBytes } from "./leb128.mjs";

export const section = {
  ...{ custom: 0, types: 1, imports: 2, functions: 3, exports: 7, start: 8, elements: 9 },
  ...{ code: 10, data: 11, dataCount: 12 },
};

/**
 * The module with each section's content given by `edit(id, bytes)`, or left out where that is null, and
 * followed by the section [id, bytes] that `after(id)` gives, or by none where that is null.
 */
export function mapSections(module, edit, after = () => null) {
  const parts = [module.subarray(0, 8)];
  for (const [id, bytes] of sections(module)) {
    const edited = edit(id, bytes);
    for (const [number, content] of [edited && [id, edited], after(id)].filter(Boolean))
      parts.push(Uint8Array.of(number, ...unsignedBytes(content.length)), Uint8Array.from(content));
  }
  return Buffer.concat(parts);
}

function* sections(module) {
  const reader = { bytes: module, at: 8 };
  while (reader.at < module.length) {
    const id = module[reader.at++];
    const size = unsigned(reader);
    if (reader.at + size > module.length) throw new Error("the module ends within a section");
    yield [id, module.subarray(reader.at, (reader.at += size))];
  }
}

/** How many functions the module imports; they have the first numbers. */
export function importedFunctions(module) {
  for (const [id, bytes] of sections(module)) {
    if (id !== section.imports) continue;
    const reader = { bytes, at: 0 };
    let functions = 0;
    for (let left = unsigned(reader); left > 0; left--) {
      [text(reader), text(reader)];
      if (bytes[reader.at++] !== 0) throw new Error("the module imports what is no function");
      unsigned(reader);
      functions++;
    }
    return functions;
  }
  return 0;
}

/**
 * The number in the table of functions of the first that the module defines, which the others follow in their
 * order; 0 for a module without a table.
 */
export function firstTableNumber(module) {
  const imported = importedFunctions(module);
  for (const [id, bytes] of sections(module)) {
    if (id !== section.elements) continue;
    const reader = { bytes, at: 3 }; // one segment, of the only table, from a constant on
    const first = signed(reader);
    reader.at++;
    const inOrder = Array.from({ length: unsigned(reader) }, (_, i) => unsigned(reader) === imported + i);
    if (bytes[0] !== 1 || !inOrder.every(Boolean)) throw new Error("the table of functions is not in their order");
    return first;
  }
  return 0;
}

/** The names of functions by their number, from the section that says them; none for a module without. */
export function functionNames(module) {
  const names = new Map();
  for (const [id, bytes] of sections(module)) {
    const reader = { bytes, at: 0 };
    if (id !== section.custom || text(reader) !== "name") continue;
    while (reader.at < bytes.length) {
      const part = bytes[reader.at++];
      const size = unsigned(reader);
      const after = reader.at + size;
      if (part === 1) for (let left = unsigned(reader); left > 0; left--) names.set(unsigned(reader), text(reader));
      reader.at = after;
    }
  }
  return names;
}

function text(reader) {
  const size = unsigned(reader);
  return Buffer.from(reader.bytes.subarray(reader.at, (reader.at += size))).toString();
}
