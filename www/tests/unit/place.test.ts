import type { Bag, SlideImage } from 'bagscope';
import { expect, test } from 'vitest';
import { MOST, numbered, ROOM } from '../../src/look/place/numbers';
import { placeOn } from '../../src/look/place/place';

const bag = (unit: string) =>
  ({
    boxes: [{ x: 512, y: 256, width: 256, height: 256 }],
    slide: { unit, mpp: 0 },
  }) as unknown as Bag;
const slide = (micronsX: number) =>
  ({
    levels: [{ width: 8000, height: 4000 }],
    micronsX,
    micronsY: micronsX,
  }) as unknown as SlideImage;

test('places in micrometres lie on a slide that states its own', () => {
  expect(placeOn(bag('um'), slide(0.5), null)).toMatchObject({
    boxes: [{ x: 1024, y: 512, width: 512, height: 512 }],
    microns: 0.5,
  });
  expect(placeOn(bag(''), slide(0.5), null)).toMatchObject({ boxes: bag('').boxes });
});

test('places in micrometres have no place on a slide without its own', () => {
  expect(placeOn(bag('um'), slide(0), null)).toMatch(/coordinates are in micrometres/);
});

test('patches in sight that have room for their numbers have them, unless that are too many', () => {
  const boxes = Array.from({ length: 900 }, (_, i) => ({
    ...{ x: 10 * (i % 30), y: 10 * Math.floor(i / 30) },
    ...{ width: 10, height: 10 },
  }));
  const all = [...boxes.keys()];
  const frame = { width: 90, height: 60 };
  const scale = ROOM / 10;
  expect(numbered(boxes, all, { scale, x: 0, y: 0 }, frame)).toEqual([0, 1, 2, 30, 31, 32]);
  expect(numbered(boxes, all, { scale: scale * 0.99, x: 0, y: 0 }, frame)).toEqual([]);
  expect(numbered(boxes, [31, 2, 5], { scale, x: 0, y: 0 }, frame)).toEqual([31, 2]);
  // Half of a patch in sight is enough, none of it is not.
  expect(numbered(boxes, all, { scale, x: -15, y: -30 }, frame)).toEqual([
    30, 31, 32, 33, 60, 61, 62, 63,
  ]);
  const wide = { width: 1e4, height: 1e4 };
  expect(numbered(boxes, all.slice(0, MOST), { scale, x: 0, y: 0 }, wide)).toHaveLength(MOST);
  expect(numbered(boxes, all.slice(0, MOST + 1), { scale, x: 0, y: 0 }, wide)).toEqual([]);
});
