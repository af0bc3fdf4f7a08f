// Where the instances of a bag lie, and the picture beneath them if there is one.
import type { Bag } from 'bagscope';
import { reader } from '../read/reader';
import { MOST_PIXELS } from '../read/limits';
import { Tiles, type Opened } from './tiles';
import type { Rect } from './view';

export interface Place {
  boxes: readonly Rect[];
  /** What there is to see: the sides of the picture, or all boxes, in the units of the boxes. */
  world: Rect;
  tiles: Tiles | null;
  /** Whether the picture was put together from the patches, and closes with the place. */
  composed: boolean;
}

/** Values of a bag that are drawn as a picture of its patches. */
const MOST_VALUES = 2 ** 25;

/**
 * The place of a bag with boxes. A picture may be the one it was cut from, or a smaller one of what `extent` says: without an
 * extent it is taken to end where the patches do.
 */
export async function placeOf(
  bag: Bag,
  picture: Opened | null,
  cutFrom: boolean,
  extent: { width: number; height: number } | null,
): Promise<Place | null> {
  const { boxes } = bag;
  if (!boxes || boxes.length === 0) return null;
  if (picture) {
    const world = cutFrom
      ? { x: 0, y: 0, width: picture.width, height: picture.height }
      : thumbnailed(boxes, picture, extent);
    return { boxes, world, tiles: new Tiles(picture), composed: false };
  }
  const composed = await compose(bag, boxes);
  const world = composed
    ? { x: 0, y: 0, width: composed.width, height: composed.height }
    : bounds(boxes, extent);
  return { boxes, world, tiles: composed && new Tiles(composed), composed: composed !== null };
}

/** Frees what a place holds. */
export function leave(place: Place | null): void {
  place?.tiles?.close();
  if (place?.composed) void reader.close(place.tiles!.picture.id);
}

function bounds(boxes: readonly Rect[], extent: { width: number; height: number } | null): Rect {
  if (extent) return { x: 0, y: 0, ...extent };
  let [x, y, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const b of boxes) {
    x = Math.min(x, b.x);
    y = Math.min(y, b.y);
    right = Math.max(right, b.x + b.width);
    bottom = Math.max(bottom, b.y + b.height);
  }
  return { x, y, width: right - x, height: bottom - y };
}

function thumbnailed(
  boxes: readonly Rect[],
  picture: Opened,
  extent: { width: number; height: number } | null,
): Rect {
  const { x, y, width, height } = bounds(boxes, null);
  const unit = extent
    ? extent.width / picture.width
    : Math.max((x + width) / picture.width, (y + height) / picture.height);
  return { x: 0, y: 0, width: picture.width * unit, height: picture.height * unit };
}

// Patches that are pictures themselves make up the picture they were cut from, as far as they cover it.
async function compose(bag: Bag, boxes: readonly Rect[]): Promise<Opened | null> {
  const [channels, height, width] = bag.shape.length === 3 ? bag.shape : [];
  if (!bag.raw || !width || !height || (channels !== 1 && channels !== 3)) return null;
  const { x, y, width: w, height: h } = bounds(boxes, null);
  const [right, bottom] = [x + w, y + h];
  if (
    x < 0 ||
    y < 0 ||
    right * bottom > MOST_PIXELS ||
    bag.instances * channels * width * height > MOST_VALUES
  )
    return null;
  const values = await bag.values();
  return reader.compose(
    values,
    channels,
    width,
    height,
    boxes.map((b) => ({ ...b })),
    right,
    bottom,
  );
}
