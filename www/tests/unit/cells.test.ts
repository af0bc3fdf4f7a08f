import type { Cell } from 'bagscope';
import { expect, test } from 'vitest';
import { cellAt, neighbour, places } from 'bagscope';

// Five instances, three in a row, each with a score cell under its picture.
const cells: Cell[] = [0, 1, 2, 3, 4].flatMap((instance) => {
  const x = (instance % 3) * 20;
  const y = Math.floor(instance / 3) * 40;
  return [
    { instance, class: 1, x, y: y + 16, width: 16, height: 8 },
    { instance, class: null, x, y, width: 16, height: 16 },
  ];
});

test('a point is in a cell up to its right and lower edge', () => {
  expect(cellAt(cells, 20, 0)).toMatchObject({ instance: 1, class: null });
  expect(cellAt(cells, 35.9, 23.9)).toMatchObject({ instance: 1, class: 1 });
  expect(cellAt(cells, 36, 0)).toBeNull();
  expect(cellAt(cells, 20, 24)).toBeNull();
  expect(cellAt([], 0, 0)).toBeNull();
  const over = { instance: 9, class: 1, x: 10, y: 0, width: 16, height: 16 };
  expect(cellAt([...cells, over], 12, 8)).toBe(over);
  expect(cellAt([over, ...cells], 12, 8)).toMatchObject({ instance: 0 });
});

test('each instance has one place, its own picture where there is one', () => {
  expect(places(cells).map((c) => [c.instance, c.class])).toEqual(
    [0, 1, 2, 3, 4].map((i) => [i, null]),
  );
  expect(places(cells.filter((c) => c.class !== null)).map((c) => c.class)).toEqual([
    1, 1, 1, 1, 1,
  ]);
});

test('arrows go through the bag sideways and through the picture up and down', () => {
  expect(neighbour(cells, 2, 'right')).toBe(3);
  expect(neighbour(cells, 3, 'left')).toBe(2);
  expect(neighbour(cells, 0, 'down')).toBe(3);
  expect(neighbour(cells, 4, 'up')).toBe(1);
  expect(neighbour(cells, 2, 'down')).toBe(4);
  expect(neighbour(cells, 3, 'first')).toBe(0);
  expect(neighbour(cells, 3, 'last')).toBe(4);
});

test('at an edge nothing moves, and an unknown instance leads to the first', () => {
  expect(neighbour(cells, 0, 'left')).toBe(0);
  expect(neighbour(cells, 4, 'right')).toBe(4);
  expect(neighbour(cells, 0, 'up')).toBe(0);
  expect(neighbour(cells, 4, 'down')).toBe(4);
  expect(neighbour(cells, 9, 'right')).toBe(0);
  expect(neighbour([], 9, 'right')).toBe(9);
});
