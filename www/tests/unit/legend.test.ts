import type { Explanation } from 'bagscope';
import { expect, test } from 'vitest';
import { commonScale, reading, sign, unclear } from '../../src/look/state/evidence';
import { legend, sentences } from '../../src/look/map/legend';
import { wrapped } from '../../src/look/save/legend';

const explanation = (
  cls: number,
  scores: number[],
  evident: boolean[],
  own: number,
  { neutral = 0, shared = own } = {},
): Explanation => ({
  ...{ class: cls, scores, evident, neutral, scale: { own, shared } },
  ...{
    method: 'consensus' as const,
    settings: {},
    unit: 'log-odds' as const,
    freedom: 0,
    stderr: null,
    low: null,
    high: null,
  },
  ...{ r2: null, evaluations: 1, folds: null, notes: [] },
});
const calm = explanation(0, [2, -0.5, 5e-12, 40], [true, true, false, false], 2, { shared: 8 });
const alarm = explanation(1, [8, -1, 0.1, 0.2], [true, false, false, false], 8);
const name = (c: number) => ['calm', 'alarm'][c]!;

test('a score that chance explains has no sign', () => {
  expect([0, 1, 2, 3].map((i) => sign(reading(calm, i)))).toEqual([1, -1, 0, 0]);
  expect(unclear(calm)).toBe(2);
});

test('unknown errors claim nothing', () => {
  const guided = {
    ...calm,
    evident: [false, false, false, false],
    stderr: Array(4).fill(Infinity),
  };
  expect(legend([guided], [guided], name)!.grey).toBe(
    'no errors are known: nothing is claimed to stand out',
  );
  const one = { ...guided, stderr: [Infinity, Infinity, Infinity, 50] };
  expect(legend([one], [one], name)!.grey).toBe('4 of 4 do not stand out from 0');
});

test('signs are measured from the neutral point', () => {
  const single = explanation(0, [0.2, 0.25, 0.9], [true, true, true], 0.65, { neutral: 0.25 });
  expect([0, 1, 2].map((i) => sign(reading(single, i)))).toEqual([-1, 0, 1]);
  expect(legend([single], [single], name)).toMatchObject({
    ends: ['−0.650', '+0.650'],
    lines: ['log-odds', 'measured from the neutral point 0.25'],
    grey: '1 of 3 do not stand out from the neutral point',
  });
});

test('all classes share one scale; one by itself is a choice that the legend names', () => {
  const both = [calm, alarm];
  expect(legend(both, both, name)).toEqual({
    ends: ['−8.000', '+8.000'],
    lines: ['log-odds, one scale for 2 classes'],
    grey: '5 of 8 do not stand out from 0 (calm: 2, alarm: 3)',
  });
  expect(legend([calm], both, name)!.ends).toEqual(['−8.000', '+8.000']);
  expect(legend(both, both, name, { perClass: true })).toMatchObject({
    ends: ['−100 %', '+100 %'],
    lines: ['each class on its own scale; 100 % is, in log-odds: calm: 2, alarm: 8'],
  });
  expect(legend([calm], both, name, { perClass: true })).toMatchObject({
    ends: ['−2.000', '+2.000'],
    lines: ['log-odds, scale of “calm” alone'],
  });
});

test(
  'where nothing is evidence there are no colours, and the legend says how large the ' +
    'scores are',
  () => {
    const none = explanation(0, [0.1, -0.3], [false, false], 0.3);
    expect(sentences(legend([none], [none], name)!)).toEqual([
      'log-odds; the largest difference is 0.3',
      '2 of 2 do not stand out from 0',
    ]);
    expect(legend([], [], name)).toBeNull();
  },
);

test('a legend is broken into lines between words', () => {
  const letters = (text: string) => text.length;
  expect(wrapped(['one scale for 4 classes', 'grey'], 12, letters)).toEqual([
    'one scale',
    'for 4',
    'classes',
    'grey',
  ]);
  expect(wrapped(['unbreakable'], 3, letters)).toEqual(['unbreakable']);
});

test('classes of other units share no scale', () => {
  const survival = { ...explanation(2, [0, -6], [false, true], 6), unit: 'months' };
  const all = [calm, alarm, survival];
  const names = (c: number) => ['calm', 'alarm', 'survival'][c]!;
  expect(legend(all, all, names)).toMatchObject({
    ends: ['−100 %', '+100 %'],
    lines: [
      'each unit on its own scale; 100 % is calm: 8 log-odds, alarm: 8 log-odds, ' +
        'survival: 6 months',
    ],
  });
  expect(legend([survival], all, names)).toMatchObject({
    ends: ['−6.000', '+6.000'],
    lines: ['months'],
  });
});

test('bags that were explained together share a scale, the largest of all', () => {
  const row = (scale: number, more = {}) => ({
    drawn: { method: 'consensus', unit: 'log-odds', scale, ...more },
  });
  const rows = [
    row(8),
    row(20),
    { drawn: null },
    row(90, { method: 'single' }),
    row(90, { unit: 'score' }),
  ];
  const common = commonScale([calm, alarm], rows);
  expect(common).toEqual({ scale: 20, bags: 2 });
  expect(legend([calm, alarm], [calm, alarm], name, { common })).toMatchObject({
    ends: ['−20.000', '+20.000'],
    lines: ['log-odds, one scale for 2 bags', expect.stringContaining('below 5 %')],
  });
  expect(legend([calm], [calm, alarm], name, { common, perClass: true })!.ends).toEqual([
    '−2.000',
    '+2.000',
  ]);
  // One bag alone, a larger scale of this bag, and nothing drawn.
  expect(commonScale([calm], [row(8)])).toBeNull();
  expect(commonScale([alarm], [row(7), row(7.5)])).toBeNull();
  expect(commonScale([], rows)).toBeNull();
});
