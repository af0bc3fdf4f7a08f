// The orientation that the head of a JPEG file states: browsers turn the picture, and cannot be told
// otherwise; the engine, and what models are trained with, take the pixels as they are stored.

/** The file without the segment that states its orientation. `head` are its first bytes. */
export function withoutExif(file: Blob, head: Uint8Array): Blob {
  const byte = (at: number) => head[at] ?? 0;
  if (byte(0) !== 0xff || byte(1) !== 0xd8) return file;
  for (let at = 2; byte(at) === 0xff && byte(at + 1) !== 0xda;) {
    const next = at + 2 + 256 * byte(at + 2) + byte(at + 3);
    const name = String.fromCharCode(...head.subarray(at + 4, at + 8));
    if (byte(at + 1) === 0xe1 && name === 'Exif')
      return new Blob([file.slice(0, at), file.slice(next)]);
    at = next;
  }
  return file;
}
