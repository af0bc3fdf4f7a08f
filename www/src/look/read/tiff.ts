// TIFF through geotiff.js: strips or tiles, with LZW, deflate, JPEG or PackBits inside, in levels
// where it is a pyramid.
import { fromBlob, type GeoTIFFImage } from 'geotiff';
import { ReadFault } from './fault';
import { LONGEST_SIDE, MOST_PIXELS } from './limits';
import { checkSize, fromBitmap, type Picture } from './picture';
import type { Size } from './size';
import type { Task } from './task';
import { read as say } from '../../strings';

/** Rows that are decoded at a time: a strip of the widest picture then takes 16 MB. */
const ROWS = 256;
/** Levels that are looked at; the widest pyramids have a dozen. */
const MOST_LEVELS = 32;

/** The sides of the first level, which is the one of full resolution. */
export function sidesOfTIFF(name: string, file: Blob): Promise<Size> {
  return guarded(name, async () => {
    const first = await (await fromBlob(file)).getImage(0);
    return { width: first.getWidth(), height: first.getHeight() };
  });
}

/** Decodes the largest level that the page takes. */
export async function openTIFF(name: string, file: Blob, task: Task): Promise<Picture> {
  const { image, first, notes } = await guarded(name, () => choose(name, file));
  const [width, height] = [image.getWidth(), image.getHeight()];
  checkSize(name, { width, height });
  const bits = image.getBitsPerSample();
  const float = image.getSampleFormat() === 3;
  if (float || bits > 16)
    throw new ReadFault('unsupported', say.of(name, say.tiff.bits(bits, float)));
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext('2d');
  if (!context) throw new ReadFault('limit', say.of(name, say.noMemory(width, height)));
  for (let y = 0; y < height; y += ROWS) {
    await task.at('decoding', y, height);
    const rows = Math.min(ROWS, height - y);
    const rgb = await guarded(name, () =>
      image.readRGB({ window: [0, y, width, y + rows], interleave: true }),
    );
    context.putImageData(opaque(rgb as ArrayLike<number>, width, rows), 0, y);
  }
  if (bits > 8) notes.push(say.of(name, say.tiff.upper(bits)));
  if (image === first) return fromBitmap(canvas.transferToImageBitmap(), notes);
  const full = { width: first.getWidth(), height: first.getHeight() };
  const read = async (x: number, y: number, w: number, h: number): Promise<ImageData> => {
    const rgb = await guarded(name, () =>
      first.readRGB({ window: [x, y, x + w, y + h], interleave: true }),
    );
    return opaque(rgb as ArrayLike<number>, w, h);
  };
  return fromBitmap(canvas.transferToImageBitmap(), notes, { full, read });
}

async function choose(
  name: string,
  file: Blob,
): Promise<{ image: GeoTIFFImage; first: GeoTIFFImage; notes: string[] }> {
  const tiff = await fromBlob(file);
  const count = Math.min(MOST_LEVELS, await tiff.getImageCount());
  const first = await tiff.getImage(0);
  const shape = first.getWidth() / first.getHeight();
  let [best, pixels] = [first, 0];
  for (let i = 0; i < count; i++) {
    const image = i === 0 ? first : await tiff.getImage(i);
    const [w, h] = [image.getWidth(), image.getHeight()];
    // Labels and photographs of the whole slide have other proportions.
    const level = Math.abs(w / h - shape) < 0.02 * shape;
    if (level && w * h > pixels && w * h <= MOST_PIXELS && Math.max(w, h) <= LONGEST_SIDE)
      [best, pixels] = [image, w * h];
  }
  const notes =
    best === first
      ? []
      : [
          say.tiff.level(
            name,
            [first.getWidth(), first.getHeight()],
            [best.getWidth(), best.getHeight()],
          ),
        ];
  return { image: best, first, notes };
}

function opaque(rgb: ArrayLike<number>, width: number, rows: number): ImageData {
  const out = new Uint8ClampedArray(4 * width * rows);
  // geotiff brings grey and palettes to eight bits by itself, and leaves colours as they are.
  const shift = rgb instanceof Uint16Array ? 8 : 0;
  const each = rgb.length / (width * rows); // 3, or 4 with an alpha channel, which is left out
  for (let i = 0, from = 0; i < out.length; i += 4, from += each) {
    out[i] = rgb[from]! >> shift;
    out[i + 1] = rgb[from + 1]! >> shift;
    out[i + 2] = rgb[from + 2]! >> shift;
    out[i + 3] = 255;
  }
  return new ImageData(out, width, rows);
}

async function guarded<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof ReadFault) throw cause;
    const words = cause instanceof Error ? cause.message : String(cause);
    if (/compression method identifier: (33003|33005|34712)/.test(words))
      throw new ReadFault('unsupported', say.of(name, say.tiff.jpeg2000));
    if (/unknown compression|not supported|unsupported|invalid or unsupported/i.test(words))
      throw new ReadFault('unsupported', say.of(name, say.tiff.unsupported(words)));
    throw new ReadFault('format', say.of(name, say.tiff.damaged(words.slice(0, 120))));
  }
}
