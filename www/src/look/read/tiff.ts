// TIFF: pixels of the largest level that the page shows, band by band.
import { contextOf } from '../../lib/canvas';
import { LONGEST_SIDE, MOST_PIXELS } from './limits';
import { fromBitmap, type Picture } from './picture';
import { Pixels, type Source } from './pixels';
import type { Size } from './size';
import type { Task } from './task';
import { read as say } from '../../strings';

/** Pixels that the engine returns at once. */
const MOST_AT_ONCE = 2 ** 22;

/**
 * Reads the largest level that the page shows. Without one, the largest level is made smaller by a
 * whole number.
 */
export async function openTIFF(name: string, source: Source, task: Task): Promise<Picture> {
  const pixels = new Pixels(source.port);
  try {
    const [full] = source.levels;
    const found = source.levels.findIndex((level) => shrink(level) === 1);
    const level = Math.max(0, found);
    const bitmap = await drawn(pixels, level, source.levels[level]!, task);
    if (level === 0 && found === 0) return fromBitmap(bitmap, []);
    const notes = [
      say.tiff.level(name, [full!.width, full!.height], [bitmap.width, bitmap.height]),
    ];
    return fromBitmap(bitmap, notes, full);
  } finally {
    pixels.close();
  }
}

/** By how much the sides of a level are divided for the page to show it. */
function shrink({ width, height }: Size): number {
  const sides = Math.max(width, height) / LONGEST_SIDE;
  return Math.ceil(Math.max(1, sides, Math.sqrt((width * height) / MOST_PIXELS)));
}

async function drawn(
  pixels: Pixels,
  level: number,
  { width, height }: Size,
  task: Task,
): Promise<ImageBitmap> {
  const by = shrink({ width, height });
  const [wide, high] = [Math.ceil(width / by), Math.ceil(height / by)];
  const canvas = new OffscreenCanvas(wide, high);
  const context = contextOf(canvas);
  const rows = by * Math.max(1, Math.floor(MOST_AT_ONCE / width / by));
  for (let y = 0; y < height; y += rows) {
    await task.at('decoding', y, height);
    const band = await pixels.region(level, 0, y, width, Math.min(rows, height - y));
    if (by === 1) context.putImageData(band, 0, y);
    else await drawSmaller(context, band, by, y / by);
  }
  return canvas.transferToImageBitmap();
}

async function drawSmaller(
  context: OffscreenCanvasRenderingContext2D,
  band: ImageData,
  by: number,
  y: number,
): Promise<void> {
  const small = await createImageBitmap(band, {
    resizeWidth: Math.ceil(band.width / by),
    resizeHeight: Math.ceil(band.height / by),
    resizeQuality: 'medium',
  });
  context.drawImage(small, 0, y);
  small.close();
}
