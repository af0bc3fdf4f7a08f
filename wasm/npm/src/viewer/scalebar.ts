/** A scale bar: a round length that fits into a number of pixels of the screen. */

export interface ScaleBar {
  /** Pixels of the screen. */
  width: number;
  /** Such as "200 µm" or "1 mm". */
  text: string;
}

/**
 * Returns the longest bar of 1, 2 or 5 times a power of ten microns that is at most `most` pixels
 * wide; null if the size of a pixel is unknown. `microns` is what a pixel of the screen covers.
 */
export function scaleBar(microns: number, most: number): ScaleBar | null {
  if (!(microns > 0 && most > 0) || !Number.isFinite(microns * most)) return null;
  const power = 10 ** Math.floor(Math.log10(microns * most));
  const length = [5, 2, 1].map((n) => n * power).find((l) => l <= microns * most * (1 + 1e-9));
  if (!length) return null;
  const [value, unit] =
    length >= 1000 ? [length / 1000, "mm"] : length >= 1 ? [length, "µm"] : [length * 1000, "nm"];
  return { width: length / microns, text: `${Number(value.toPrecision(6))}\u202f${unit}` };
}
