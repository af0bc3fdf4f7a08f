// Exif data in the head of a picture's file. Browsers turn a picture by the orientation that they
// state, and cannot be told otherwise; the engine, and what models are trained with, take the pixels
// as they are stored.

/** Where Exif data are in a file, from the start of their segment or chunk to its end. */
interface Exif {
  from: number;
  to: number;
  orientation: number;
}

/** The file without the data that state its orientation. `head` are its first bytes. */
export function withoutExif(file: Blob, head: Uint8Array): Blob {
  const exif = exifOf(head);
  return exif ? new Blob([file.slice(0, exif.from), file.slice(exif.to)]) : file;
}

/** Whether a file states that its picture is to be mirrored or turned. */
export const isTurned = (head: Uint8Array): boolean => (exifOf(head)?.orientation ?? 1) > 1;

function exifOf(head: Uint8Array): Exif | null {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  return isPNG(view) ? exifOfPNG(view) : exifOfJPEG(view);
}

/** Whether a file is a PNG picture. */
export const isPNG = (view: DataView): boolean =>
  view.byteLength > 26 && view.getUint32(0) === 0x89504e47;

/** The chunks of a PNG file before its pixels: name, first byte and length of each. */
export function* chunksOf(view: DataView): Generator<[name: string, at: number, length: number]> {
  for (let at = 8; at + 8 <= view.byteLength;) {
    const length = view.getUint32(at);
    const name = String.fromCharCode(...[4, 5, 6, 7].map((i) => view.getUint8(at + i)));
    if (name === 'IDAT') return;
    yield [name, at, length];
    at += 12 + length;
  }
}

function exifOfPNG(view: DataView): Exif | null {
  for (const [name, from, length] of chunksOf(view))
    if (name === 'eXIf')
      return { from, to: from + 12 + length, orientation: orientation(view, from + 8) };
  return null;
}

function exifOfJPEG(view: DataView): Exif | null {
  if (view.byteLength < 4 || view.getUint16(0) !== 0xffd8) return null;
  for (let at = 2; at + 10 <= view.byteLength && view.getUint8(at) === 0xff;) {
    const marker = view.getUint8(at + 1);
    if (marker === 0xda) return null;
    const next = at + 2 + view.getUint16(at + 2);
    if (marker === 0xe1 && view.getUint32(at + 4) === 0x45786966)
      return { from: at, to: next, orientation: orientation(view, at + 10) };
    at = next;
  }
  return null;
}

/** The orientation in Exif data that begin at a place: tag 274 of a TIFF directory, or 1. */
function orientation(view: DataView, start: number): number {
  if (start + 10 > view.byteLength) return 1;
  const little = view.getUint16(start) === 0x4949;
  const directory = start + view.getUint32(start + 4, little);
  if (directory + 2 > view.byteLength) return 1;
  for (let i = 0; i < view.getUint16(directory, little); i++) {
    const at = directory + 2 + 12 * i;
    if (at + 12 > view.byteLength) return 1;
    if (view.getUint16(at, little) === 274) return view.getUint16(at + 8, little);
  }
  return 1;
}
