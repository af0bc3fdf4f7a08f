// Parts of a slide as pictures of any size, for small pictures of patches and for files.
import type { Pixels, SlideImage } from 'bagscope';

/** Pixels that the engine returns at once. */
const MOST = 2 ** 22;
/** The longest side of an overview. */
const LONGEST = 4096;

/** Reads a rectangle of level 0, scaled to so many pixels. */
export async function partOf(
  slide: SlideImage,
  x: number,
  y: number,
  width: number,
  height: number,
  toWidth: number,
  toHeight: number,
): Promise<ImageBitmap> {
  const wanted = Math.max(1, width / toWidth) * 1.01;
  const fine = slide.levels.findLastIndex((l) => l.downsample <= wanted);
  const scaled = (n: number, at: number) =>
    Math.max(1, Math.round(n / slide.levels[at]!.downsample));
  const fits = (at: number) => scaled(width, at) * scaled(height, at) <= MOST;
  const at = slide.levels.findIndex((_, i) => i >= fine && fits(i));
  const to = { width: toWidth, height: toHeight };
  if (at >= 0) {
    const { downsample } = slide.levels[at]!;
    const [left, top] = [Math.round(x / downsample), Math.round(y / downsample)];
    const [w, h] = [scaled(width, at), scaled(height, at)];
    return resized(await slide.region(at, left, top, w, h), 0, 0, w, h, to);
  }
  const all = await slide.overview(LONGEST);
  const s = 1 / all.scale;
  return resized(all, x * s, y * s, width * s, height * s, to);
}

async function resized(
  { rgba, width }: Pixels,
  x: number,
  y: number,
  w: number,
  h: number,
  to: { width: number; height: number },
): Promise<ImageBitmap> {
  const pixels = new ImageData(rgba, width);
  return createImageBitmap(
    pixels,
    Math.round(x),
    Math.round(y),
    Math.max(1, Math.round(w)),
    Math.max(1, Math.round(h)),
    { resizeWidth: to.width, resizeHeight: to.height, resizeQuality: 'medium' },
  );
}
