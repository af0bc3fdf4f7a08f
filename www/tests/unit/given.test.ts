// Names that the user gives instances are of an instance by its place, whatever its index becomes.
import type { Bag } from 'bagscope';
import { expect, test, vi } from 'vitest';

vi.mock('virtual:poster', () => ({ default: null }));
const { doc, nameInstance, replaceBag, replaceSet } =
  await import('../../src/look/state/document.svelte');

const boxesAt = (...xs: number[]) => xs.map((x) => ({ x, y: 0, width: 8, height: 8 }));
const bag = (boxes: Bag['boxes'], instanceNames: string[] = []) =>
  ({ boxes, instanceNames, instances: 3, shape: [2], close() {} }) as unknown as Bag;
const open = (files: File[], shown: Bag) => {
  replaceSet(null, { name: 'x', files } as never, {} as never);
  replaceBag(shown, 0, null, '');
};

test('a name stays with its place, and is gone with it', () => {
  const files: File[] = [];
  open(files, bag(boxesAt(0, 8, 16)));
  nameInstance(1, ' ink ');
  expect(doc.instanceNames).toEqual(['', 'ink', '']);
  open(files, bag(boxesAt(8, 0, 16)));
  expect(doc.instanceNames).toEqual(['ink', '', '']);
  open(files, bag(boxesAt(4, 12, 20)));
  expect(doc.instanceNames).toEqual([]);
});

test('without places an index has the name; no name gives back that of the file', () => {
  open([], bag(null, ['a', 'b', 'c']));
  nameInstance(2, 'ink');
  expect(doc.instanceNames).toEqual(['a', 'b', 'ink']);
  nameInstance(2, '');
  expect(doc.instanceNames).toEqual(['a', 'b', 'c']);
  open([], bag(null));
  nameInstance(0, '');
  expect(doc.instanceNames).toEqual([]);
});
