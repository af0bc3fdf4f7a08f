import { expect, test } from 'vitest';
import {
  namesIn,
  plainName,
  withFound,
  withIndices,
  withInstances,
} from '../../src/look/state/concepts';

test('instances get a name, with the numbers of the page', () => {
  expect(withInstances('', 'ink', [2])).toBe('ink=3');
  expect(withInstances('gland=1-4;ink=3', 'ink', [4, 5])).toBe('gland=1-4; ink=3,5,6');
  expect(withInstances('ink=3', 'ink', [4], '~')).toBe('ink=3; ink~5');
  expect(plainName(' a=b;c~ ')).toBe('a b c');
});

test('the engine counts from 0, and names keep their digits', () => {
  expect(withIndices('8s=17-18; ink 2~3,4; groups')).toBe('8s=16-17; ink 2~2,3; groups');
});

test('concepts of a file stand behind those that were named', () => {
  expect(withFound('ink=3;', 'a 1=0-4; b=7')).toBe('ink=3; a 1=1-5; b=8');
});

test('marked instances have names', () => {
  expect([...namesIn('gland=3-4; ink ~4,x; groups; far=9-999999999', 10)]).toEqual([
    [2, 'gland'],
    [3, 'gland, ink'],
    ...[8, 9].map((i) => [i, 'far']),
  ]);
});
