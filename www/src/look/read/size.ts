// The sides of a picture from the first bytes of its file, before anything is decoded.

export interface Size {
  width: number;
  height: number;
}

/** The sides that a PNG, JPEG, WebP, GIF or BMP file claims; null where it is none of these. */
export function sizeOf(bytes: Uint8Array): Size | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const word = (at: number, length: number) =>
    String.fromCharCode(...bytes.subarray(at, at + length));
  if (bytes.length >= 24 && word(1, 3) === 'PNG')
    return { width: view.getUint32(16), height: view.getUint32(20) };
  if (bytes.length >= 4 && view.getUint16(0) === 0xffd8) return jpegSize(view);
  if (bytes.length >= 30 && word(0, 4) === 'RIFF' && word(8, 4) === 'WEBP')
    return webpSize(view, word(12, 4));
  if (bytes.length >= 10 && word(0, 3) === 'GIF')
    return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
  if (bytes.length >= 26 && word(0, 2) === 'BM')
    return { width: Math.abs(view.getInt32(18, true)), height: Math.abs(view.getInt32(22, true)) };
  return null;
}

// Segments follow each other up to the frame's, which is one of C0 to CF but for C4, C8 and CC.
function jpegSize(view: DataView): Size | null {
  for (let at = 2; at + 9 < view.byteLength;) {
    if (view.getUint8(at) !== 0xff) return null;
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) {
      at++;
      continue;
    }
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker))
      return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    at += 2 + view.getUint16(at + 2);
  }
  return null;
}

function webpSize(view: DataView, kind: string): Size | null {
  if (kind === 'VP8 ')
    return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
  if (kind === 'VP8L') {
    const bits = view.getUint32(21, true);
    return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
  }
  if (kind !== 'VP8X') return null;
  const three = (at: number) => view.getUint16(at, true) + 65_536 * view.getUint8(at + 2);
  return { width: three(24) + 1, height: three(27) + 1 };
}
