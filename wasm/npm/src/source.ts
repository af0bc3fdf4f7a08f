/** Bytes from wherever they come. */

import type { ByteArray } from "./codec.js";
import type { Bytes, FileLike, OpenOptions } from "./types.js";
import type { File as WireFile } from "./wire.js";

/** From this size on bytes are kept as a blob, outside of the page's memory where the browser can. */
const large = 1 << 22;

/** A copy of the bytes, which the caller may change or transfer afterwards without harm. */
export async function toBytes(source: Bytes): Promise<ByteArray> {
  // Writing takes blobs as well, see Writer.blob; reading gives bytes alone.
  if (source instanceof Blob)
    return source.size < large ? new Uint8Array(await source.arrayBuffer()) : (source as unknown as ByteArray);
  const own = source instanceof ArrayBuffer || source.buffer instanceof ArrayBuffer; // a blob takes no shared memory
  if (source.byteLength >= large && own) return new Blob([source as BlobPart]) as unknown as ByteArray;
  return new Uint8Array(source instanceof ArrayBuffer ? source.slice(0) : source);
}

export async function toFiles(source: Bytes | readonly FileLike[], name: string | undefined): Promise<WireFile[]> {
  if (!Array.isArray(source)) {
    const one = source as Bytes;
    return [{ name: name ?? nameOf(one), bytes: await toBytes(one) }];
  }
  return Promise.all(
    (source as readonly FileLike[]).map(async (file) => ({
      name: file.name,
      bytes: await toBytes("data" in file ? file.data : file),
    })),
  );
}

/** Files by name, from an object with a key for each or from a list. */
export async function toExternal(source: NonNullable<OpenOptions["external"]>): Promise<WireFile[]> {
  if (Array.isArray(source)) return toFiles(source, undefined);
  return Promise.all(Object.entries(source).map(async ([name, data]) => ({ name, bytes: await toBytes(data) })));
}

/** A File brings its name. */
export function nameOf(source: Bytes): string {
  return "name" in source && typeof source.name === "string" ? source.name : "";
}
