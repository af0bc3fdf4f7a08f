import { expect, test } from 'vitest';
import { clicked, keeper, ordered } from '../../src/look/map/order';
import { shareOf, strongestFirst, strongestOf } from '../../src/look/state/strength';

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

test('the strongest come first, whichever way they point, and evidence before what is not', () => {
  const readings = [
    [0.1, true],
    [-0.9, true],
    [0.95, false],
    [NaN, false],
    [0.1, true],
  ] as const;
  const reading = (i: number) => {
    const [difference, evident] = readings[i]!;
    return { score: difference, neutral: 0, difference, evident };
  };
  const order = strongestFirst(5, reading);
  expect(order).toEqual([1, 0, 4, 2, 3]);
  expect(shareOf([1, 0], order, reading)).toBeCloseTo(1 / 2.05);
  expect(shareOf([3], [3], reading)).toBe(0);
});

test('the strongest of several readings is evidence before it is large', () => {
  const of = (difference: number, evident: boolean) => ({
    score: difference,
    neutral: 0,
    difference,
    evident,
  });
  const [small, large, noise] = [of(0.1, true), of(-0.9, true), of(2, false)];
  expect(strongestOf([small, large, noise])).toBe(large);
  expect(strongestOf([noise])).toBe(noise);
  expect(strongestOf([])).toMatchObject({ evident: false });
});

test('an order stays while instances are missing', () => {
  const [keep, bag] = [keeper(), {}];
  expect(keep([bag, 1], true, () => [2, 0, 1])).toEqual([2, 0, 1]);
  expect(keep([bag, 1], false, () => [0, 1, 2])).toEqual([2, 0, 1]);
  expect(keep([bag, 1], true, () => [1, 2, 0])).toEqual([1, 2, 0]);
  expect(keep([bag, 2], false, () => [0, 2, 1])).toEqual([0, 2, 1]);
  expect(keep([{}, 2], false, () => [0, 1, 2])).toEqual([0, 1, 2]);
});
