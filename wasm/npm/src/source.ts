/** Bytes from wherever they come. */

import type { ByteArray } from "./codec.js";
import type { Bytes, FileLike } from "./types.js";
import type { File as WireFile } from "./wire.js";

/** A copy of the bytes, which the caller may change or transfer afterwards without harm. */
export async function toBytes(source: Bytes): Promise<ByteArray> {
  if (source instanceof Blob) return new Uint8Array(await source.arrayBuffer());
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

/** A File brings its name. */
export function nameOf(source: Bytes): string {
  return "name" in source && typeof source.name === "string" ? source.name : "";
}
