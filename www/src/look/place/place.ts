// Where the instances of a bag lie, and the picture beneath them if there is one.
import type { Bag, SlideImage } from 'bagscope';
import { reader } from '../read/reader';
import { partOf } from './part';
import { MOST_PIXELS } from '../read/limits';
import { locate } from './locate';
import { Tiles, type Opened } from './tiles';
import type { Rect } from './view';
import { look as words } from '../../strings';

export interface Place {
  boxes: readonly Rect[];
  /** What there is to see: the sides of the picture, or all boxes, in the units of the boxes. */
  world: Rect;
  tiles: Tiles | null;
  /** Whether the picture was put together from the patches, and closes with the place. */
  composed: boolean;
  /** Microns that a unit of the boxes covers; 0 if nothing states them. */
  microns: number;
}

/** Values of a bag that are drawn as a picture of its patches. */
const MOST_VALUES = 2 ** 25;

/**
 * The place of a bag with boxes: on the picture it was cut from, on one that shows the slide of
 * `extent`, or on none. A sentence where a picture is there and its place cannot be known; null for
 * a bag without boxes.
 */
export async function placeOf(
  bag: Bag,
  picture: Opened | null,
  cutFrom: boolean,
  extent: { width: number; height: number } | null,
): Promise<Place | string | null> {
  const { boxes } = bag;
  if (!boxes || boxes.length === 0) return null;
  const microns = inMicrons(bag) ? 1 : (bag.slide?.mpp ?? 0);
  if (picture) {
    if (inMicrons(bag)) return words.unplaced.microns;
    const at = locate(boxes, picture, cutFrom ? null : extent);
    if ('why' in at) return at.why;
    return { boxes, world: at.world, tiles: new Tiles(picture), composed: false, microns };
  }
  const composed = await compose(bag, boxes);
  const world = composed
    ? { x: 0, y: 0, width: composed.width, height: composed.height }
    : bounds(boxes, extent);
  const tiles = composed && new Tiles(composed);
  return { boxes, world, tiles, composed: composed !== null, microns };
}

/** Whether the boxes of a bag are in micrometres: its file does not state those of a pixel. */
const inMicrons = (bag: Bag): boolean => bag.slide?.unit === 'um';

/**
 * The place of a bag on a slide, by coordinates of level 0, or by those in micrometres if the slide
 * states its own; or a sentence why it has none there.
 */
export function placeOn(
  bag: Bag,
  slide: SlideImage,
  extent: { width: number; height: number } | null,
): Place | string {
  let boxes: readonly Rect[] | null = bag.boxes;
  if (!boxes || boxes.length === 0) return words.unplaced.none;
  if (inMicrons(bag)) {
    const { micronsX, micronsY } = slide;
    if (!(micronsX > 0)) return words.unplaced.microns;
    boxes = scaled(boxes, 1 / micronsX, 1 / (micronsY || micronsX));
  }
  const at = locate(boxes, { full: slide.levels[0]! }, extent);
  if ('why' in at) return at.why;
  const { width, height } = slide.levels[0]!;
  const picture = { id: 0, width, height, full: { width, height } };
  const tiles = new Tiles(picture, (...part) => partOf(slide, ...part));
  const microns = (slide.micronsX * width) / at.world.width;
  return { boxes, world: at.world, tiles, composed: false, microns };
}

function scaled(boxes: readonly Rect[], across: number, down: number): Rect[] {
  return boxes.map(({ x, y, width, height }) => ({
    ...{ x: x * across, width: width * across },
    ...{ y: y * down, height: height * down },
  }));
}

/** Frees what a place holds. */
export function leave(place: Place | null): void {
  place?.tiles?.close();
  if (place?.composed) void reader.close(place.tiles!.picture.id);
}

function bounds(boxes: readonly Rect[], extent: { width: number; height: number } | null): Rect {
  if (extent) return { x: 0, y: 0, width: extent.width, height: extent.height };
  let [x, y, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const b of boxes) {
    x = Math.min(x, b.x);
    y = Math.min(y, b.y);
    right = Math.max(right, b.x + b.width);
    bottom = Math.max(bottom, b.y + b.height);
  }
  return { x, y, width: right - x, height: bottom - y };
}

// Patches that are pictures themselves make up the picture they were cut from, as far as they cover
// it.
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
