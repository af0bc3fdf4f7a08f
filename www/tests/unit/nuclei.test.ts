// The truth of the bundled slide, by hand.
import { expect, test } from 'vitest';
import { judge, labels, MANY, shares } from '../../src/learn/science/nuclei';

// Squares of 10 pixels, 3 in a row.
const density = { cell: 10, columns: 3, percent: [10, 20, 30, 40, 50, 60, 70, 80, 90] };

test('the part of a patch is the mean of its squares', () => {
  const two = shares(density, [0, 10, 10], [0, 0, 10], 20);
  expect(two).toEqual([0.3, 0.4, 0.7]); // the means of 10 20 40 50, 20 30 50 60 and 50 60 80 90
  expect(shares(density, [20], [10], 10)).toEqual([0.6]);
  expect(shares(density, [10], [0], 3)).toEqual([0.2]); // smaller than a square: that square
});

test('what lies outside of the slide has no nuclei', () => {
  expect(shares(density, [20], [20], 20)).toEqual([0.225]); // one square of 90 and three outside
  expect(shares(density, [20], [0], 20)).toEqual([0.225]);
});

test('a map is judged by the patches with many nuclei', () => {
  expect(labels([0, MANY, 0.9, 0.1])).toEqual([0, 1, 1, 0]);
  const found = judge([1, 5, 3, 4], [0, 1, 1, 0]);
  expect(found.order).toEqual([1, 3, 2, 0]);
  // The first two are 1 and 3, of which 1 has many; the ideal order has both.
  expect(found).toMatchObject({ n: 2, found: 1, random: 0.5 });
  expect(found.ndcg).toBeCloseTo(1 / (1 + 1 / Math.log2(3)), 12);
  expect(judge([1, 2], [0, 0])).toMatchObject({ n: 0, found: 0, ndcg: null, random: 0 });
  expect(judge([1], [1])).toMatchObject({ n: 1, found: 1, ndcg: 1, random: 1 });
  expect(judge([], [])).toMatchObject({ n: 0, random: 0 });
});
