// Who decodes a picture: the browser, which is faster, or the engine, whose pixels are those of the
// command line.
import { chunksOf, isPNG, isTurned } from './exif';

/**
 * Whether a browser's pixels of a picture can differ from the engine's, or the engine says more of
 * it: pictures with transparency, which browsers round, of 16 bits, which may use few of them, and
 * those whose file states an orientation. `head` are the first bytes of the file.
 */
export function engineDecodes(head: Uint8Array): boolean {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  if (isTurned(head)) return true;
  if (isPNG(view)) {
    const [bits, colours] = [view.getUint8(24), view.getUint8(25)];
    return bits === 16 || colours >= 4 || [...chunksOf(view)].some(([name]) => name === 'tRNS');
  }
  const word = (at: number) => String.fromCharCode(...head.subarray(at, at + 4));
  if (view.byteLength < 30 || word(0) !== 'RIFF' || word(8) !== 'WEBP') return false;
  if (word(12) === 'VP8X') return (view.getUint8(20) & (OPACITY | EXIF)) !== 0;
  return word(12) === 'VP8L' && ((view.getUint32(21, true) >> 28) & 1) === 1;
}

/** Bits of an extended WebP file. */
const OPACITY = 0x10;
const EXIF = 0x08;
