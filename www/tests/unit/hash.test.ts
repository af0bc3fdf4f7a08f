import { describe, expect, test } from 'vitest';
import { decode, encode, placeIn, sameQuestion, type Link } from '../../src/look/open/hash';

const full: Link = {
  method: 'random_lime',
  settings: 'mnist',
  seed: 7,
  output: 'logit',
  reference: 'age=50; stage=0,0,1',
  options: { samples: '150', meanBag: '30', beta: '-.01', distance: 'cosine', paired: 'yes' },
  classes: [1, 3],
  class: 2,
  rows: true,
  bare: true,
  order: 'file',
  at: 12,
  view: { x: 0.512, y: 0.25, zoom: 4.2 },
  bag: 4,
  out: [3, 17],
};

test('a link reads as it was written', () => {
  expect(decode('#' + encode(full))).toEqual(full);
  expect(decode(encode({ options: {} }))).toEqual({ options: {} });
});

test('equal states give equal links', () => {
  const turned = { ...full, options: Object.fromEntries(Object.entries(full.options).reverse()) };
  expect(encode(turned)).toBe(encode(full));
  expect(encode({ options: {}, bag: 0, out: undefined })).toBe('');
});

describe('what makes no sense is left out', () => {
  test.each([
    ['seed=-1', 'seed'],
    ['seed=1e5', 'seed'],
    ['seed=99999999999999999999', 'seed'],
    ['bag=x', 'bag'],
    ['out=1.x', 'out'],
    ['classes=', 'classes'],
    ['reference=', 'reference'],
    ['reference=a%00b', 'reference'],
    ['method=<script>', 'method'],
    ['order=down', 'order'],
    ['at=-1', 'at'],
    ['view=0.5_0.5', 'view'],
    ['view=0.5_1.5_2', 'view'],
    ['view=0.5_0.5_0.5', 'view'],
    ['view=0.5_0.5_1e9', 'view'],
  ])('%s', (text, key) => expect(decode(text)[key as keyof Link]).toBeUndefined());

  test('options with odd names or texts', () => {
    expect(decode('samples=12&%3Cb%3E=1&alpha=a%20b&beta=-5').options).toEqual({
      samples: '12',
      beta: '-5',
    });
  });
  test('what earlier pages wrote about removed instances', () => {
    expect(decode('out=3&left=1')).toEqual({ options: {}, out: [3] });
  });
  test('a link longer than any that the page writes', () => {
    expect(decode('out=' + '1.'.repeat(20_000))).toEqual({ options: {} });
  });
});

test('a link of another version says only that', () => {
  expect(decode('v=1&bag=4')).toEqual({ options: {}, bag: 4 });
  for (const v of ['2', '', '01'])
    expect(decode(`bag=4&v=${v}`)).toEqual({ options: {}, foreign: true });
});

test('instances come once and in order', () => {
  expect(decode('out=17.3.3.0').out).toEqual([0, 3, 17]);
});

test('a place is a bag, classes and removals; how they are drawn and asked about is not', () => {
  const other = { ...full, seed: 8, rows: undefined, bare: undefined, method: 'single' };
  expect(placeIn(other)).toBe(placeIn(full));
  expect(placeIn({ options: {}, bag: 0 })).toBe(placeIn({ options: {} }));
  for (const change of [{ bag: 5 }, { classes: [1] }, { class: 1 }, { out: [3] }])
    expect(placeIn({ ...full, ...change })).not.toBe(placeIn(full));
});

test('the class on the picture, the view and the removals need no new explanation', () => {
  for (const change of [{ class: 0 }, { rows: undefined }, { bare: undefined }, { out: [] }])
    expect(sameQuestion({ ...full, ...change }, full)).toBe(true);
  for (const change of [{ bag: 5 }, { seed: 8 }, { method: 'single' }])
    expect(sameQuestion({ ...full, ...change }, full)).toBe(false);
});
