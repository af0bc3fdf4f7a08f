// Texts of numbers as the form of inputs beside the bag reads them.
import { expect, test } from 'vitest';
import { numbersOf } from '../../src/look/open/covariates';

test.each<[string, number, number[] | null]>([
  ['63', 1, [63]],
  [' -6.5e1 ', 1, [-65]],
  ['0, 0,1', 3, [0, 0, 1]],
  ['2', 3, [2]], // one number for all elements
  ['1, 2', 3, null],
  ['1,,2', 3, null],
  ['', 1, null],
  ['old', 1, null],
  ['1e999', 1, null],
])('"%s" of %d numbers', (text, size, numbers) => {
  expect(numbersOf(text, size)).toEqual(numbers);
});
