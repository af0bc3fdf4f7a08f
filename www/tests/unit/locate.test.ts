import { expect, test } from 'vitest';
import { locate } from '../../src/look/place/locate';

const box = (x: number, y: number) => ({ x, y, width: 256, height: 256 });
const picture = (width: number, height: number) => ({ full: { width, height } });

test('a picture lies on the slide whose size a file says, whatever part of it has patches', () => {
  expect(locate([box(1000, 1000)], picture(100, 80), { width: 2500, height: 2000 })).toEqual({
    world: { x: 0, y: 0, width: 2500, height: 2000 },
  });
});

test('patches of a grid reach over the right and lower side of a stated slide', () => {
  const extent = { width: 2500, height: 2000 };
  const world = { x: 0, y: 0, ...extent };
  expect(locate([box(2304, 1792)], picture(100, 80), extent)).toEqual({ world });
});

test('without that size it lies on its own pixels, if all patches do', () => {
  const world = { x: 0, y: 0, width: 19200, height: 14400 };
  expect(locate([box(0, 0), box(1000, 900)], picture(19200, 14400), null)).toEqual({ world });
});

test.each([
  [
    'coordinates beyond the picture',
    [box(1000, 0)],
    picture(64, 48),
    null,
    /reach 1256 × 256, the picture has 64 × 48/,
  ],
  [
    'a slide of other proportions',
    [box(0, 0)],
    picture(64, 48),
    { width: 2500, height: 2000 },
    /other proportions/,
  ],
  [
    'coordinates beyond the slide',
    [box(2500, 0)],
    picture(100, 80),
    { width: 2500, height: 2000 },
    /beyond the slide of 2500/,
  ],
  ['negative coordinates', [box(-1, 0)], picture(4000, 4000), null, /negative/],
])('%s: the place cannot be known, and the reason is said', (_, boxes, of, extent, why) => {
  const found = locate(boxes, of, extent);
  expect('why' in found && found.why).toMatch(why);
  expect('why' in found && found.why).toMatch(/The patches are shown in rows\.$/);
});
