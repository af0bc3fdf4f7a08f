// Maps of the parts of an instance: rectangles, signs, and the way of the arrow keys.
import { expect, test } from 'vitest';
import { bandsOf, barOf, beside, partsOf, signsOf, strongest } from '../../src/look/whatif/parts';

// 5 by 3 pixels in cells of 2: those at the right and at the bottom are smaller.
const map = {
  cell: 2,
  columns: 3,
  rows: 2,
  width: 5,
  height: 3,
  scores: [1, -4, 0.5, 0, 2, -1],
  evident: [true, true, false, false, true, true],
};

test('parts cover the instance, and weigh what is evident relative to the largest', () => {
  const parts = partsOf(map);
  expect(parts.map((p) => p.width * p.height).reduce((a, b) => a + b)).toBe(5 * 3);
  expect(parts[5]).toEqual({ x: 4, y: 2, width: 1, height: 1, weight: -0.25 });
  expect(parts.map((p) => p.weight)).toEqual([0.25, -1, 0, 0, 0.5, -0.25]);
  expect(partsOf({ ...map, scores: map.scores.map(() => 0) }).every((p) => p.weight === 0)).toBe(
    true,
  );
});

test('a bar reaches from 0 to its weight, up or down', () => {
  expect(barOf({ weight: 0.25 }, 2)).toEqual({ x: 2.1, y: -0.25, width: 0.8, height: 0.25 });
  expect(barOf({ weight: -1 }, 0)).toEqual({ x: 0.1, y: 0, width: 0.8, height: 1 });
});

test('evident parts have a sign', () => {
  const marks = signsOf(partsOf(map)).match(/[hv]/g)!.join('');
  expect(marks).toBe('hv' + 'h' + 'hv' + 'h');
});

test('the strongest come first, whatever their sign', () =>
  expect(strongest(map, 3)).toEqual([1, 4, 0]));

test('arrow keys lead to the part beside, and stop at the ends', () => {
  expect(beside(map, 0, 'ArrowRight')).toBe(1);
  expect(beside(map, 2, 'ArrowRight')).toBe(2);
  expect(beside(map, 1, 'ArrowDown')).toBe(4);
  expect(beside(map, 4, 'ArrowDown')).toBe(4);
  expect(beside(map, 4, 'ArrowUp')).toBe(1);
  expect(beside(map, 3, 'ArrowLeft')).toBe(3);
});

test('bands are those of pictures that are no colours', () => {
  for (const [shape, raw, bands] of [
    [[13, 64, 64], false, 13],
    [[64, 64, 4], false, 4],
    [[2, 30, 40], false, 2],
    [[3, 64, 64], false, 3],
    [[3, 64, 64], true, 0],
    [[1, 64, 64], false, 0],
    [[64, 64], false, 0],
    [[9, 30, 40], false, 0],
  ] as const) {
    expect(bandsOf({ shape: [...shape], raw, pictures: null }), String(shape)).toBe(bands);
  }
  const features = { shape: [512], raw: false };
  expect(bandsOf({ ...features, pictures: [13, 64, 64] })).toBe(13);
  expect(bandsOf({ ...features, pictures: [3, 64, 64] })).toBe(0);
  expect(bandsOf({ ...features, pictures: null })).toBe(0);
});
