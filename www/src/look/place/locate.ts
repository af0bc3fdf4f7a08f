// Where a picture lies among coordinates: by what files say of its size, and by nothing else.
import type { Opened } from './tiles';
import type { Rect } from './view';
import { look as words } from '../../strings';

/** How far the proportions of a slide and of a smaller picture of it may differ, by rounding. */
const PROPORTION = 0.02;

/** The slide that the picture shows, in the units of the boxes; or why that cannot be known. */
export type Located = { world: Rect } | { why: string };

/**
 * Lays a picture under boxes. `extent` is the size of the slide that the coordinates are of, where
 * a file says it; else the picture's own size at full resolution is taken, if all boxes lie in it.
 * Patches of a stated slide only begin in it: grids of patches reach over its right and lower side.
 */
export function locate(
  boxes: readonly Rect[],
  picture: Pick<Opened, 'full'>,
  extent: { width: number; height: number } | null,
): Located {
  const { full } = picture;
  const world = extent ?? full;
  const right = boxes.reduce((most, b) => Math.max(most, b.x + b.width), 0);
  const bottom = boxes.reduce((most, b) => Math.max(most, b.y + b.height), 0);
  const least = boxes.reduce((least, b) => Math.min(least, b.x, b.y), 0);
  const say = words.unplaced;
  const sides = { right, bottom };
  if (least < 0) return { why: say.negative };
  const past = extent
    ? boxes.some((b) => b.x >= extent.width || b.y >= extent.height)
    : right > full.width || bottom > full.height;
  if (past)
    return { why: extent ? say.beyondSlide(sides, extent) : say.beyondPicture(sides, full) };
  const proportion = (s: { width: number; height: number }) => s.width / s.height;
  if (extent && Math.abs(proportion(extent) / proportion(full) - 1) > PROPORTION)
    return { why: say.proportions(extent, full) };
  return { world: { x: 0, y: 0, width: world.width, height: world.height } };
}
