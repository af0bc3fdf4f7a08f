import { expect, test } from 'vitest';
import { plainName, withIndices, withInstances } from '../../src/look/whatif/concepts';

test('instances get a name, with the numbers of the page', () => {
  expect(withInstances('', 'ink', [2])).toBe('ink=3');
  expect(withInstances('gland=1-4;ink=3', 'ink', [4, 5])).toBe('gland=1-4; ink=3,5,6');
  expect(plainName(' a=b;c~ ')).toBe('a b c');
});

test('the engine counts from 0, and names keep their digits', () => {
  expect(withIndices('8s=17-18; ink 2~3,4; groups')).toBe('8s=16-17; ink 2~2,3; groups');
});
