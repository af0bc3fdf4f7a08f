import { expect, test } from 'vitest';
import { clicked, ordered } from '../../src/look/lib/order';

const scores = [0.2, NaN, 0.9, 0.2, -0.5];
const by = (descending: boolean) => ordered(5, { by: 0, descending }, (i) => scores[i]!);

test('what has no score comes last either way, and ties keep the order of the bag', () => {
  expect(by(true)).toEqual([2, 0, 3, 4, 1]);
  expect(by(false)).toEqual([4, 0, 3, 2, 1]);
});

test('without a column the order is that of the bag', () => {
  expect(ordered(3, { by: null, descending: false }, () => NaN)).toEqual([0, 1, 2]);
  expect(ordered(3, { by: null, descending: true }, () => NaN)).toEqual([2, 1, 0]);
});

test('a second click turns a column round, a first one starts with the most', () => {
  const first = clicked({ by: null, descending: false }, 2);
  expect(first).toEqual({ by: 2, descending: true });
  expect(clicked(first, 2)).toEqual({ by: 2, descending: false });
  expect(clicked(first, null)).toEqual({ by: null, descending: false });
});
