// Cutting a picture into patches, a band of rows at a time, so that no second copy of it is made.
import { archive, boxes, instances } from './bagset';
import { ReadFault } from './fault';
import { cells, columnSums, luma, planes, tissue, type Grid } from './grid';
import { MOST_CELLS, MOST_VALUES } from './limits';
import type { Picture } from './picture';
import type { Task } from './task';
import { read as words } from '../../strings';

/** The mean brightness 0..255 of every patch of a grid, row by row. */
export interface Survey extends Grid {
  across: number;
  down: number;
  means: Float32Array<ArrayBuffer>;
}

/** Checks a grid in words. */
function laid(name: string, picture: Picture, grid: Grid) {
  const whole = (n: number) => Number.isSafeInteger(n) && n >= 1;
  if (!whole(grid.size) || !whole(grid.stride))
    throw new ReadFault('format', words.of(name, words.cut.whole));
  const { width, height } = picture.full;
  const { across, down } = cells(width, height, grid);
  if (across * down === 0)
    throw new ReadFault('format', words.of(name, words.cut.small(width, height, grid.size)));
  if (across * down > MOST_CELLS)
    throw new ReadFault('limit', words.of(name, words.cut.tooMany(across, down, MOST_CELLS)));
  return { across, down };
}

/**
 * Measures how bright each patch is. The grid is at full resolution; a lower level of a pyramid is
 * bright alike.
 */
export async function survey(
  name: string,
  picture: Picture,
  grid: Grid,
  task: Task,
): Promise<Survey> {
  const { across, down } = laid(name, picture, grid);
  const means = new Float32Array(across * down);
  const along = (from: number, share: number, most: number): [first: number, last: number] => {
    const first = Math.min(Math.floor(from * share), most - 1);
    return [first, Math.min(most, Math.max(first + 1, Math.round((from + grid.size) * share)))];
  };
  const share = { x: picture.width / picture.full.width, y: picture.height / picture.full.height };
  for (let row = 0; row < down; row++) {
    await task.at('measuring', row, down);
    const [top, bottom] = along(row * grid.stride, share.y, picture.height);
    const band = picture.pixels(0, top, picture.width, bottom - top);
    const sums = columnSums(band.data, picture.width, bottom - top);
    for (let column = 0; column < across; column++) {
      const [left, right] = along(column * grid.stride, share.x, picture.width);
      means[row * across + column] =
        (sums[right]! - sums[left]!) / (3 * (right - left) * (bottom - top));
    }
  }
  return { ...grid, across, down, means };
}

/** Pixels along a row that are read at a time: a row of the widest slide would take a gigabyte. */
const MOST_ALONG = 8192;

/**
 * The patches that are darker than the background, as a bag for the engine: pixels 0..255 and the
 * place of each, both at full resolution.
 */
export async function cut(
  name: string,
  picture: Picture,
  s: Survey,
  background: number,
  channels: 1 | 3,
  task: Task,
): Promise<{ bag: Blob; count: number }> {
  const kept = tissue(s.means, background);
  if (kept.length === 0)
    throw new ReadFault(
      'format',
      words.of(name, words.cut.none(background, s.means.length, s.size)),
    );
  const each = channels * s.size * s.size;
  const corners = new Int32Array(4 * kept.length);
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (let from = 0; from < kept.length;) {
    const row = Math.floor(kept[from]! / s.across);
    let to = from;
    const left = (kept[from]! % s.across) * s.stride;
    const end = (i: number) => (kept[i]! % s.across) * s.stride + s.size - left;
    while (
      to < kept.length &&
      Math.floor(kept[to]! / s.across) === row &&
      (to === from || end(to) <= Math.max(MOST_ALONG, s.size))
    )
      to++;
    await task.at('cutting', row, s.down);
    const y = row * s.stride;
    const along = end(to - 1);
    const band = await picture.read(left, y, along, s.size);
    const out = new Uint8Array((to - from) * each);
    for (let i = from; i < to; i++) {
      const x = (kept[i]! % s.across) * s.stride;
      planes(band.data, along, x - left, s.size, channels, out, (i - from) * each);
      corners.set([x, y, x + s.size, y + s.size], 4 * i);
    }
    parts.push(out);
    from = to;
  }
  const shape = [kept.length, channels, s.size, s.size];
  const bag = archive([instances(shape, parts), boxes(corners)]);
  return { bag, count: kept.length };
}

/** Whole pictures of one size as the instances of a bag, in the order given. */
export function together(
  pictures: readonly { name: string; picture: Picture }[],
  channels: 1 | 3,
): Blob {
  const [first] = pictures;
  const { width, height } = first!.picture;
  const each = channels * width * height;
  if (pictures.length * each > MOST_VALUES)
    throw new ReadFault('limit', words.cut.pictures(pictures.length, width, height));
  const parts = pictures.map(({ name, picture }) => {
    if (picture.width !== width || picture.height !== height)
      throw new ReadFault(
        'format',
        words.cut.oneSize(
          { name, width: picture.width, height: picture.height },
          { name: first!.name, width, height },
        ),
      );
    const { data } = picture.pixels(0, 0, width, height);
    const out = new Uint8Array(each);
    for (let i = 0; i < width * height; i++) {
      const [r, g, b] = [data[4 * i]!, data[4 * i + 1]!, data[4 * i + 2]!];
      if (channels === 1) out[i] = luma(r, g, b);
      else [out[i], out[i + width * height], out[i + 2 * width * height]] = [r, g, b];
    }
    return out;
  });
  return archive([instances([pictures.length, channels, height, width], parts)]);
}
