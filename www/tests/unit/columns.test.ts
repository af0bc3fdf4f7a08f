// Rules of columns that a user states by a form, and the card that keeps them.
import { describe, expect, test } from 'vitest';
import { tableOf, withRule } from '../../src/look/state/columns';
import { cardWith } from '../../src/look/open/modelfile';

describe('a rule is added before others', () => {
  test.each([
    ['', 'a', 'skip', 'a=skip'],
    ['b=label', 'a', 'skip', 'a=skip; b=label'],
    ['a=label; b=skip', 'a', 'feature', 'a=feature; b=skip'],
    ['a=bag; b=skip', 'b', 'bag', 'b=bag'],
    ['a=skip\n b = feature ;', 'c', 'skip', 'c=skip; a=skip; b = feature'],
    ['p=q=x; stain*=skip', 'cx', 'x', 'cx=x; stain*=skip'],
  ])('%s and %s=%s', (rules, label, role, want) => {
    expect(withRule(rules, label, role)).toBe(want);
  });
});

test('one table among files is found by its name', () => {
  const found = (...names: string[]) =>
    tableOf({ name: '', files: names.map((name) => ({ name }) as File) })?.name ?? null;
  expect(found('cells.CSV')).toBe('cells.CSV');
  expect(found('cells.tsv.gz', 'slide.svs')).toBe('cells.tsv.gz');
  expect(found('cells.txt')).toBe('cells.txt');
  expect(found('a.csv', 'b.csv')).toBeNull();
  expect(found('bag.npz')).toBeNull();
  expect(found()).toBeNull();
});

test('a card keeps what was stated of columns, before what it states itself', () => {
  const read = (text: string) => JSON.parse(text) as unknown;
  const own = JSON.stringify({ columns: 'a=bag', negative: 0 });
  expect(read(cardWith(undefined, ['a', 'b']))).toEqual({ classes: ['a', 'b'] });
  expect(read(cardWith(undefined, ['a'], 'x1=x'))).toEqual({ classes: ['a'], columns: 'x1=x' });
  expect(read(cardWith(own, ['a'], 'b=bag'))).toEqual({
    classes: ['a'],
    columns: 'b=bag; a=bag',
    negative: 0,
  });
  expect(read(cardWith(own, ['a']))).toEqual({ classes: ['a'], columns: 'a=bag', negative: 0 });
});
