/** Converts the sources of files to bytes. */

import type { ByteArray } from "./codec.js";
import { BagscopeError } from "./error.js";
import type { BagSource, Bytes, FileLike, OpenOptions, PixelFile } from "./types.js";
import type { FilePart } from "./channel.js";
import type { BagFile, File as WireFile } from "./wire.js";

/**
 * From this size on, bytes are kept as a blob, which the browser can store outside of the page's
 * memory.
 */
const large = 1 << 22;

/** Bytes that most headers of DICOM files fit in. */
const headBytes = 1 << 14;

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
 * Returns files of bags for a request: large ones, and all if they are large together, are parts,
 * which the program reads into the values of the bags, so that the bytes never stand beside the
 * values.
 */
export async function toBagFiles(
  source: BagSource,
  name: string | undefined,
): Promise<{ files: BagFile[]; parts: FilePart[] }> {
  const parts: FilePart[] = [];
  const keep = (file: FilePart["file"], size: number, bytes = new Uint8Array()) => {
    parts.push({ part: ++lastPart, file });
    return { bytes, part: lastPart, size };
  };
  const one = async (file: FileLike | PixelFile): Promise<BagFile> => {
    const { data, width = 0, height = 0 } = Object(file) as Partial<PixelFile>;
    const rest = { name: nameOf(file), width, height };
    if (typeof data === "function") return { ...rest, ...keep(data, 4 * width * height) };
    const source = data ?? (file as Bytes);
    const bytes = together >= large ? blobOf(source) : await toBytes(source);
    if (!(bytes instanceof Blob)) return { ...rest, bytes, part: 0, size: 0 };
    // The program reads the headers of a series from the first bytes of its files.
    const head = list.length > 1 ? await firstBytes(bytes) : undefined;
    return { ...rest, ...keep(cloneable(bytes), bytes.size, head) };
  };
  const list = Array.isArray(source)
    ? (source as readonly (FileLike | PixelFile)[])
    : [{ name: name ?? nameOf(source as Bytes), data: source } as FileLike];
  let together = 0;
  for (const file of list) together += sizeOf((Object(file).data ?? file) as Bytes);
  return { files: await Promise.all(list.map(one)), parts };
}

/** Returns the first bytes of a file, or none: why it cannot be read is found when it is needed. */
async function firstBytes(file: Blob): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = file.slice(0, headBytes).arrayBuffer();
  return new Uint8Array(await bytes.catch(() => new ArrayBuffer()));
}

/** Returns the number of bytes of a source, 0 for what is none. */
function sizeOf(source: Bytes | undefined | null): number {
  return source instanceof Blob ? source.size : (source?.byteLength ?? 0);
}

function blobOf(source: Bytes): Blob {
  return source instanceof Blob ? source : new Blob([content(source) as BlobPart]);
}

/**
 * Returns a blob of the same bytes for a message: Node refuses to clone that of a path. Browsers
 * register each new blob, which takes a millisecond, and a series has hundreds of files.
 */
const cloneable = (file: Blob): Blob => (file instanceof File ? file : file.slice());

/** Returns a file as a part with a number of its own. */
export function toPart(file: Blob): { part: number; file: Blob } {
  return { part: ++lastPart, file: cloneable(file) };
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
export function nameOf(source: Bytes | FileLike | PixelFile): string {
  const { name } = Object(source);
  return typeof name === "string" ? name : "";
}
