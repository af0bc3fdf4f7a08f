/** Converts the sources of files to bytes. */

import type { ByteArray } from "./codec.js";
import { BagscopeError } from "./error.js";
import type { Bytes, FileLike, OpenOptions, PixelFile } from "./types.js";
import type { Part } from "./channel.js";
import type { BagFile, File as WireFile } from "./wire.js";

/**
 * From this size on, bytes are kept as a blob, which the browser can store outside of the page's
 * memory.
 */
const large = 1 << 22;

/**
 * Returns a source that is the content of a file. Throws for others, such as a path. The tag is also
 * that of objects from another frame or a test runner, which are no instance of the classes here.
 */
export function content(source: Bytes): Bytes {
  const type = Object.prototype.toString.call(source).slice("[object ".length, -1);
  if (["Uint8Array", "ArrayBuffer", "Blob", "File"].includes(type)) return source;
  throw new BagscopeError(
    "setting",
    `the source has the type ${type}, and must be the content of a file: a Uint8Array, ` +
      "ArrayBuffer, Blob or File; read a path by readFile, and a URL by fetch",
  );
}

/** Returns a copy of the bytes, so that the caller may change or transfer the original. */
export async function toBytes(source: Bytes): Promise<ByteArray> {
  // Writing accepts blobs too, see Writer.blob; reading returns only bytes.
  content(source);
  if (source instanceof Blob)
    return source.size < large
      ? new Uint8Array(await source.arrayBuffer())
      : (source as unknown as ByteArray);
  const own = source instanceof ArrayBuffer || source.buffer instanceof ArrayBuffer; // a blob cannot be made from shared memory
  if (source.byteLength >= large && own)
    return new Blob([source as BlobPart]) as unknown as ByteArray;
  return new Uint8Array(source instanceof ArrayBuffer ? source.slice(0) : source);
}

export async function toFiles(
  source: Bytes | readonly FileLike[],
  name: string | undefined,
): Promise<WireFile[]> {
  if (!Array.isArray(source)) {
    const one = source as Bytes;
    return [{ name: name ?? nameOf(one), bytes: await toBytes(one) }];
  }
  return Promise.all(
    (source as readonly FileLike[]).map(async (file) => ({
      name: nameOf(file),
      bytes: await toBytes(Object(file).data ?? file),
    })),
  );
}

/** The last number of a file that is read in parts. */
let lastPart = 0;

/**
 * Returns files of bags for a request: large ones are parts, which the program reads into the
 * values of the bags, so that the bytes never stand beside the values.
 */
export async function toBagFiles(
  source: Bytes | readonly FileLike[],
  name: string | undefined,
): Promise<{ files: BagFile[]; parts: Part[] }> {
  const parts: Part[] = [];
  const list = Array.isArray(source) ? (source as readonly Partial<PixelFile>[]) : [];
  const files = (await toFiles(source, name)).map(({ name, bytes }, i): BagFile => {
    const { width = 0, height = 0 } = list[i] ?? {}; // of pixels
    const rest = { name, width, height };
    if (!(bytes instanceof Blob)) return { ...rest, bytes, part: 0, size: 0 };
    const kept = toPart(bytes);
    parts.push(kept);
    return { ...rest, bytes: new Uint8Array(), part: kept.part, size: bytes.size };
  });
  return { files, parts };
}

/** Returns a file as a part with a number of its own. */
export function toPart(file: Blob): { part: number; file: Blob } {
  // Node refuses to clone the blob of a file, and clones a blob that contains it.
  return { part: ++lastPart, file: new Blob([file]) };
}

/** Returns files by name, from an object with a key for each file or from a list. */
export async function toExternal(
  source: NonNullable<OpenOptions["external"]>,
): Promise<WireFile[]> {
  if (Array.isArray(source)) return toFiles(source, undefined);
  return Promise.all(
    Object.entries(source).map(async ([name, data]) => ({ name, bytes: await toBytes(data) })),
  );
}

/** Returns the name of a File, or "". */
export function nameOf(source: Bytes | FileLike): string {
  const { name } = Object(source);
  return typeof name === "string" ? name : "";
}
