// A slice of a volume as pixels, and where its sides lie.
import { expect, test } from 'vitest';
import { bars, dragged, letters, paint, sidesOf, windowOf } from '../../src/look/volume/slice';

test('a window maps its lower end to black and its upper end to white', () => {
  const pixels = new Uint8ClampedArray(4 * 5);
  paint(Float32Array.from([-2000, -255, 0, 255, 3000]), false, { centre: 0, width: 510 }, pixels);
  // Half of 255 rounds to the even number.
  expect([...pixels].filter((_, i) => i % 4 === 0)).toEqual([0, 0, 128, 255, 255]);
  expect([...pixels].filter((_, i) => i % 4 === 3)).toEqual([255, 255, 255, 255, 255]);
});

test('three channels of colours are red, green and blue', () => {
  const pixels = new Uint8ClampedArray(8);
  paint(Float32Array.from([1, 2, 3, 4, 5, 6]), true, { centre: 127.5, width: 255 }, pixels);
  expect([...pixels]).toEqual([1, 3, 5, 255, 2, 4, 6, 255]);
});

test('the usual window leaves out a hundredth of the values at each end', () => {
  const values = Float32Array.from({ length: 1001 }, (_, i) => i);
  values[0] = -1e6;
  values[1000] = 1e6;
  expect(windowOf(values)).toEqual({ centre: 500, width: 980 });
  expect(windowOf(new Float32Array(9)).width).toBeGreaterThan(0);
});

test('a drag to the right widens the window, and one down raises its centre', () => {
  expect(dragged({ centre: 40, width: 400 }, 400, 0)).toEqual({ centre: 40, width: 800 });
  expect(dragged({ centre: 40, width: 400 }, 0, 200)).toEqual({ centre: 240, width: 400 });
  expect(dragged({ centre: 40, width: 400 }, -1e5, 0).width).toBeGreaterThan(0);
});

test('sides of an axial slice are those that a radiologist expects', () => {
  expect(sidesOf([1, 0, 0], [0, 1, 0])).toEqual({ left: 'R', right: 'L', top: 'A', bottom: 'P' });
  // A sagittal slice: columns go to the back, rows to the feet.
  expect(sidesOf([0, 1, 0], [0, 0, -1])).toEqual({ left: 'A', right: 'P', top: 'H', bottom: 'F' });
  expect(letters([0.6, -0.8, 0])).toBe('AL');
});

test('bars lie at the middle of their slices, on the side of their sign', () => {
  const marks = [
    { instance: 0, at: 0.25, length: 0.5 },
    { instance: 1, at: 0.75, length: -1 },
  ];
  expect(bars(marks, 1)).toBe('M0 0H0.5V0.5H0Z');
  expect(bars(marks, -1)).toBe('M0 0.5H-1V1H0Z');
});
