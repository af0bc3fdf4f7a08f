// Rewrites the data section of a WebAssembly module.
//
// Go's linker starts a new segment at every run of eight zero bytes, tens of thousands of them, each with
// an address that no compressor can guess. Memory begins as zeros, so fewer segments that hold the zeros
// leave the same memory; the module compresses to 7 % less.

import { signed, signedBytes, unsigned, unsignedBytes } from "./leb128.mjs";
import { mapSections, section } from "./sections.mjs";

const i32Const = 0x41;
const end = 0x0b;

/**
 * The module with its initial memory edited in place by `edit(bytes, address)`, in segments that are cut at runs of more than `gap`
 * zeros only.
 */
export function rewriteData(module, edit = () => {}, gap = 256) {
  return mapSections(module, (id, bytes) => {
    if (id === section.dataCount) throw new Error("the module says how many data segments it has");
    if (id !== section.data) return bytes;
    const image = readImage({ bytes, at: 0 });
    edit(image.bytes, image.address);
    return writeSegments(image, gap);
  });
}

/** The initial memory of a module: { bytes, address }. */
export function imageOf(module) {
  let image;
  mapSections(module, (id, bytes) => {
    if (id === section.data) image = readImage({ bytes, at: 0 });
    return bytes;
  });
  if (!image) throw new Error("the module has no data section");
  return image;
}

/** Memory as the module finds it: bytes that begin at an address. */
function readImage(reader) {
  const segments = readSegments(reader).sort((a, b) => a.address - b.address);
  const start = segments[0]?.address ?? 0;
  const last = segments.at(-1);
  const bytes = new Uint8Array(last ? last.address + last.bytes.length - start : 0);
  let filled = 0;
  for (const segment of segments) {
    if (segment.address - start < filled) throw new Error("data segments overlap");
    bytes.set(segment.bytes, segment.address - start);
    filled = segment.address - start + segment.bytes.length;
  }
  return { address: start, bytes };
}

function readSegments(reader) {
  const segments = [];
  for (let left = unsigned(reader); left > 0; left--) {
    if (reader.bytes[reader.at] !== 0 || reader.bytes[reader.at + 1] !== i32Const)
      throw new Error("a data segment does not lie at a constant address of the only memory");
    reader.at += 2;
    const address = signed(reader) >>> 0;
    if (reader.bytes[reader.at++] !== end) throw new Error("the address of a data segment is an expression");
    const size = unsigned(reader);
    segments.push({ address, bytes: reader.bytes.subarray(reader.at, (reader.at += size)) });
  }
  return segments;
}

function writeSegments({ address, bytes }, gap) {
  const segments = stretches(bytes, gap);
  const parts = [Uint8Array.from(unsignedBytes(segments.length))];
  for (const [from, to] of segments) {
    const head = [0, i32Const, ...signedBytes(address + from), end, ...unsignedBytes(to - from)];
    parts.push(Uint8Array.from(head), bytes.subarray(from, to));
  }
  return Buffer.concat(parts);
}

/** Where bytes other than zero lie, with the zeros between them where those are at most `gap`. */
function stretches(bytes, gap) {
  const found = [];
  for (let i = 0; i < bytes.length; i++) {
    if (bytes[i] === 0) continue;
    const last = found.at(-1);
    if (last && i - last[1] <= gap) last[1] = i + 1;
    else found.push([i, i + 1]);
  }
  return found;
}
