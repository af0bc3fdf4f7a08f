// How a picture is cut: which patches there are, how bright they are, what a model gets of them.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { cells, columnSums, luma, planes, tissue } from '../../src/look/read/grid';
import { sizeOf } from '../../src/look/read/size';

test('patches lie wholly inside of the picture', () => {
  expect(cells(56, 56, { size: 28, stride: 28 })).toEqual({ across: 2, down: 2 });
  expect(cells(56, 41, { size: 28, stride: 14 })).toEqual({ across: 3, down: 1 });
  expect(cells(27, 100, { size: 28, stride: 1 })).toEqual({ across: 0, down: 73 });
});

test('sums of columns give the mean of any patch in a band', () => {
  const [width, rows] = [7, 3];
  const data = Uint8ClampedArray.from({ length: 4 * width * rows }, (_, i) => (i * 53) % 256);
  const sums = columnSums(data, width, rows);
  for (const [x, size] of [
    [0, 3],
    [2, 3],
    [4, 3],
    [0, 7],
  ] as const) {
    let slow = 0;
    for (let y = 0; y < rows; y++)
      for (let i = x; i < x + size; i++)
        for (const c of [0, 1, 2]) slow += data[4 * (y * width + i) + c]!;
    expect(sums[x + size]! - sums[x]!).toBe(slow);
  }
});

test('what is as bright as the threshold is background; 0 keeps everything', () => {
  const means = Float32Array.of(255, 230, 229.5, 10);
  expect(tissue(means, 230)).toEqual([2, 3]);
  expect(tissue(means, 0)).toEqual([0, 1, 2, 3]);
});

test('planes are red, green, blue, or luma', () => {
  const data = Uint8ClampedArray.from({ length: 4 * 6 }, (_, i) => i);
  const out = new Uint8Array(13);
  planes(data, 3, 1, 2, 3, out, 1);
  expect([...out]).toEqual([0, 4, 8, 16, 20, 5, 9, 17, 21, 6, 10, 18, 22]);
  const grey = new Uint8Array(4);
  planes(data, 3, 1, 2, 1, grey, 0);
  expect([...grey]).toEqual([luma(4, 5, 6), luma(8, 9, 10), luma(16, 17, 18), luma(20, 21, 22)]);
  for (const v of [0, 1, 127, 200, 255]) expect(luma(v, v, v)).toBe(v);
  expect([luma(255, 0, 0), luma(0, 255, 0), luma(0, 0, 255)]).toEqual([76, 150, 29]);
});

test.each(['picture.png', 'picture.webp', 'picture.jpg'])(
  'the sides of %s stand in its first bytes',
  (name) => {
    const file = new Uint8Array(
      readFileSync(fileURLToPath(new URL(`../data/files/${name}`, import.meta.url))),
    );
    expect(sizeOf(file)).toEqual({ width: 64, height: 48 });
    for (let n = 0; n < Math.min(file.length, 200); n++) sizeOf(file.slice(0, n)); // does not throw
  },
);
