// The grid that a picture is cut by, and which of its patches are tissue. The rule is the engine's
// own.

export interface Grid {
  /** Side of a patch, and from one patch to the next, in pixels. */
  size: number;
  stride: number;
}

/** How many patches lie wholly inside of a picture, across and down. */
export function cells(
  width: number,
  height: number,
  { size, stride }: Grid,
): { across: number; down: number } {
  const along = (side: number) => (side < size ? 0 : Math.floor((side - size) / stride) + 1);
  return { across: along(width), down: along(height) };
}

/**
 * Indices of the patches, row by row, whose mean brightness is below the threshold; all of them
 * where it is 0.
 */
export function tissue(means: Float32Array, background: number): number[] {
  const kept: number[] = [];
  for (let i = 0; i < means.length; i++)
    if (background <= 0 || means[i]! < background) kept.push(i);
  return kept;
}

/**
 * Sums red, green and blue of every column of rows of pixels into one running total from the left.
 */
export function columnSums(data: Uint8ClampedArray, width: number, rows: number): Float64Array {
  const sums = new Float64Array(width + 1);
  for (let y = 0; y < rows; y++) {
    for (let x = 0, at = 4 * y * width; x < width; x++, at += 4)
      sums[x + 1]! += data[at]! + data[at + 1]! + data[at + 2]!;
  }
  for (let x = 0; x < width; x++) sums[x + 1]! += sums[x]!;
  return sums;
}

/** Pixels of a patch plane by plane: red, green, blue, or luma alone as ITU-R BT.601 weighs it. */
export function planes(
  data: Uint8ClampedArray,
  stride: number,
  left: number,
  size: number,
  channels: number,
  out: Uint8Array,
  at: number,
): void {
  const area = size * size;
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const p = 4 * (y * stride + left + x);
      const to = at + y * size + x;
      const [r, g, b] = [data[p]!, data[p + 1]!, data[p + 2]!];
      if (channels === 1) out[to] = luma(r, g, b);
      else {
        out[to] = r;
        out[to + area] = g;
        out[to + 2 * area] = b;
      }
    }
  }
}

/** In sixteen bits, as the engine's own reader of pictures has it. */
export function luma(r: number, g: number, b: number): number {
  return (19_595 * r * 257 + 38_470 * g * 257 + 7_471 * b * 257 + 32_768) >>> 24;
}
