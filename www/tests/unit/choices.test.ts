// What is offered after a refusal: arrays as the engine lists them, and strides whose patches fit.
import { BagscopeError, type ModelInfo } from 'bagscope';
import { expect, test } from 'vitest';
import { arraysOf, fits } from '../../src/look/lib/choices';
import { checkPatches, mostPatches, TooManyPatches } from '../../src/look/lib/patchlimit';
import { cells } from '../../src/look/read/grid';

const refused = (arrays: string) => new BagscopeError('format', 'several', { arrays });

test('arrays are read from the lines of an error, whatever their names are', () => {
  expect(arraysOf(refused('uni/features (3512, 1024)\na (b) (2, 3)\nc'))).toEqual([
    { name: 'uni/features', shape: [3512, 1024] },
    { name: 'a (b)', shape: [2, 3] },
  ]);
  expect(arraysOf(new BagscopeError('format', 'broken', { file: 'a.h5' }))).toEqual([]);
  expect(arraysOf(new Error('anything'))).toEqual([]);
});

test('an array fits a model by the last sides of its shape', () => {
  const model = (...shape: number[]) =>
    ({ input: 'x', instanceAxis: 0, inputs: [{ name: 'x', shape }] }) as unknown as ModelInfo;
  const of = (...shape: number[]) => ({ name: 'a', shape });
  expect(fits(of(12, 4), model(-1, 4))).toBe(true);
  expect(fits(of(1, 12, 4), model(-1, 4))).toBe(true);
  expect(fits(of(12, 3), model(-1, 4))).toBe(false);
  expect(fits(of(4), model(-1, 4))).toBe(false);
  expect(fits(of(12, 7), model(-1, -1))).toBe(true);
  expect(fits(of(12, 4), null)).toBe(false);
});

/** The refusal of a cut; null if it is accepted. */
function tooMany(side: number, size: number, stride: number, kept: number | null, background = 0) {
  try {
    const picture = { width: side, height: side };
    checkPatches('a.png', picture, { size, stride, background }, 3, kept);
    return null;
  } catch (error) {
    return error as TooManyPatches;
  }
}

test('the smallest stride that is offered is the smallest whose patches fit', () => {
  const count = (side: number, size: number, stride: number) =>
    cells(side, side, { size, stride }).across ** 2;
  for (const [side, size, stride] of [
    [11_000, 27, 27],
    [11_000, 27, 1],
    [16_000, 224, 16],
    [600, 1, 1],
  ] as const) {
    const { strides } = tooMany(side, size, stride, null)!;
    const [first] = strides;
    expect(first!.count).toBe(count(side, size, first!.stride));
    expect(first!.count).toBeLessThanOrEqual(mostPatches(size, 3));
    expect(count(side, size, first!.stride - 1)).toBeGreaterThan(mostPatches(size, 3));
    expect(tooMany(side, size, first!.stride, null)).toBeNull();
  }
});

test('a cut with a background is refused by the patches that remain, once they are known', () => {
  expect(tooMany(11_000, 27, 27, null, 200)).toBeNull();
  expect(tooMany(11_000, 27, 27, 100_000, 200)).toBeNull();
  const measured = tooMany(11_000, 27, 27, 130_000, 200);
  expect(measured?.grid.background).toBe(200);
  expect(measured?.message).toContain(
    '130\u202f000 patches of 27 × 27 pixels without the background',
  );
  const fine = tooMany(11_000, 27, 10, null, 200);
  expect(fine).toBeInstanceOf(TooManyPatches);
  expect(fine?.message).toContain(
    'with the background, and the page measures at most 262\u202f144',
  );
});

test('a patch that no bag can hold has no stride to offer, and an invalid grid is not judged', () => {
  expect(tooMany(12_000, 11_000, 1, null)?.strides).toEqual([]);
  expect(tooMany(100, 10, 0, null)).toBeNull();
});
