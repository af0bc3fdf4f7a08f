import { expect, test } from 'vitest';
import { jointsOf, strongOf } from '../../src/lib/pairs';

const pair = (a: number, b: number, value: number, evident = true) => ({
  ...{ a, b, value, evident },
  stderr: 0.1,
  relation: '' as const,
});

test('twins are one: of two groups the strongest pair is listed, a group also with itself', () => {
  const pairs = [
    pair(1, 4, 9),
    pair(2, 4, 8),
    pair(1, 2, -5),
    pair(3, 4, 0.2),
    pair(0, 3, 0.1, false),
  ];
  const joints = jointsOf({ pairs, twins: [[1, 2]] });
  expect(joints.map(({ a, b, pair }) => [a, b, pair.value])).toEqual([
    [[1, 2], [4], 9],
    [[1, 2], [1, 2], -5],
    [[3], [4], 0.2],
  ]);
  expect(strongOf(joints).map(({ pair }) => pair.value)).toEqual([9, -5]);
  expect(strongOf([])).toEqual([]);
});
