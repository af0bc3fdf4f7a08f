import type { Bag, SlideImage } from 'bagscope';
import { expect, test } from 'vitest';
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
