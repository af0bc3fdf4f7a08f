// How long a stage still takes.
import { expect, test } from 'vitest';
import { remaining, share } from '../../src/look/read/phase';

const progress = (done: number, total: number) =>
  ({ stage: 'decoding', done, total, began: 1000 }) as const;

test('the rest takes as long as what is done took, in proportion', () => {
  expect(share(progress(25, 100))).toBe(0.25);
  expect(remaining(progress(25, 100), 11_000)).toBe(30);
  expect(remaining(progress(100, 100), 11_000)).toBe(0);
});

test('without a total, at the beginning and soon after it nothing is estimated', () => {
  expect(share(progress(3, 0))).toBeNull();
  expect(remaining(progress(3, 0), 11_000)).toBeNull();
  expect(remaining(progress(1, 100), 11_000)).toBeNull();
  expect(remaining(progress(50, 100), 2500)).toBeNull();
});
