// How many patches a bag may have. The number follows from the sides of the picture, so that a cut
// which is too fine is refused before the picture is decoded.
import type { PatchOptions } from 'bagscope';
import { ReadFault } from '../read/fault';
import { cells } from '../read/grid';
import { MOST_CELLS, MOST_VALUES } from '../read/limits';
import type { Size } from '../read/size';
import { look as words } from '../../strings';

type Cut = Required<PatchOptions>;

/** Strides that are offered: the smallest possible one, and twice and four times as much. */
const OFFERED = [1, 2, 4];

/** A cut makes too many patches; `strides` make fewer, the smallest first. */
export class TooManyPatches extends ReadFault {
  constructor(
    message: string,
    readonly grid: Cut,
    readonly strides: readonly { stride: number; count: number }[],
  ) {
    super('limit', message);
  }
}

/** How many patches of a side fit into a bag. */
export function mostPatches(size: number, channels: number): number {
  return Math.min(MOST_CELLS, Math.floor(MOST_VALUES / (channels * size * size)));
}

/**
 * Throws TooManyPatches if a bag cannot hold the patches of a cut. `kept` is how many patches are
 * darker than the background; null before their brightness is measured. A cut with a background is
 * then refused only if its grid has too many cells.
 */
export function checkPatches(
  name: string,
  picture: Size,
  grid: Cut,
  channels: 1 | 3,
  kept: number | null,
): void {
  if (!(grid.size >= 1 && grid.stride >= 1)) return; // the reader refuses it in words
  const all = (stride: number) => {
    const { across, down } = cells(picture.width, picture.height, { size: grid.size, stride });
    return across * down;
  };
  const count = kept ?? all(grid.stride);
  const most = mostPatches(grid.size, channels);
  const certain = kept !== null || grid.background <= 0;
  if (count <= (certain ? most : MOST_CELLS)) return;
  // The number of patches falls with the stride: bisect between too small and large enough.
  let [low, high] = [grid.stride, 2 * grid.stride];
  while (all(high) > most && high < Math.max(picture.width, picture.height)) high *= 2;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (all(middle) > most) low = middle;
    else high = middle;
  }
  const strides = OFFERED.map((times) => ({ stride: times * high, count: all(times * high) }));
  throw new TooManyPatches(
    certain
      ? words.cut.tooMany(name, count, grid.size, most, grid.background > 0)
      : words.cut.tooFine(name, count, grid.size, MOST_CELLS),
    grid,
    strides.filter((s) => s.count > 0 && s.count <= most),
  );
}
