// Rewrites the code section of a WebAssembly module that Go compiled.
//
// Each function is turned into instructions, goes through the passes of code/ and is written again. A pass
// changes what it knows to do the same, and leaves a function alone that is not as it expects. Together
// they make the code a quarter smaller as hosts send it, and quicker to compile and to run.

import { neverReturns, shortenReturns } from "./code/calls.mjs";
import { decode, encode, op } from "./code/instructions.mjs";
import { dropBlocks, straightenJumps } from "./code/jumps.mjs";
import { shorten } from "./code/peephole.mjs";
import { numberPlaces } from "./code/places.mjs";
import { shareNumber } from "./code/resume.mjs";
import { foldOffsets } from "./code/stack.mjs";
import { unsigned, unsignedBytes } from "./leb128.mjs";
import { firstTableNumber, functionNames, importedFunctions, mapSections, section } from "./sections.mjs";

/**
 * The module with its functions rewritten, and without their names. Where `placesOf` says of a function, by
 * its number in the table, what belongs to its places, the places are numbered anew, which `tell` is told: see
 * numberPlaces.
 */
export function rewriteCode(module, placesOf = () => null, tell = () => {}) {
  const names = functionNames(module);
  const panics = new Set([...names].filter(([, name]) => neverReturns(name)).map(([index]) => index));
  const ends = (i) => i.op === op.call && panics.has(i.a);
  const first = firstTableNumber(module);
  const imported = importedFunctions(module);
  const rewrite = (bytes, i) => {
    const number = first + i;
    const name = names.get(imported + i);
    const places = name && name !== goroutineEnd ? placesOf(number) : null;
    return rewriteFunction(bytes, number, ends, places, (numbered) => tell(number, numbered));
  };
  return mapSections(module, (id, bytes) => {
    if (id === section.code) return mapFunctions(bytes, rewrite);
    return isNames(id, bytes) ? null : bytes;
  });
}

/** The function that a goroutine returns to, at its second place, to which no call leads. */
const goroutineEnd = "runtime.goexit";

const isNames = (id, bytes) => id === section.custom && Buffer.from(bytes.subarray(1, 5)).toString() === "name";

function mapFunctions(bytes, rewrite) {
  const reader = { bytes, at: 0 };
  const count = unsigned(reader);
  const parts = [Uint8Array.from(unsignedBytes(count))];
  for (let i = 0; i < count; i++) {
    const size = unsigned(reader);
    const body = rewrite(bytes.subarray(reader.at, (reader.at += size)), i);
    parts.push(Uint8Array.from(unsignedBytes(body.length)), body);
  }
  return Buffer.concat(parts);
}

function rewriteFunction(bytes, number, ends, places, tell) {
  const reader = { bytes, at: 0 };
  const locals = Array.from({ length: unsigned(reader) }, () => [unsigned(reader), bytes[reader.at++]]);
  const decoded = decode(bytes.subarray(reader.at));
  if (!decoded) return bytes;
  let list = dropBlocks(foldOffsets(straightenJumps(shorten(shortenReturns(decoded, ends)))));
  const numbered = places && numberPlaces(list, number, ends, places);
  if (numbered) {
    list = numbered.list;
    tell(numbered);
  }
  const rewritten = shareNumber({ locals, list }, number);
  const declared = rewritten.locals.flatMap(([count, type]) => [...unsignedBytes(count), type]);
  return Uint8Array.from([...unsignedBytes(rewritten.locals.length), ...declared, ...encode(rewritten.list)]);
}
