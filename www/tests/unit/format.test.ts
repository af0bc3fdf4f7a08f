import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';
import { describe, expect, test } from 'vitest';
import {
  bytes,
  count,
  decimals,
  percent,
  plain,
  signed,
  value,
  withMinus,
} from '../../src/lib/format';
import { plural, sentence, shape, verb } from '../../src/strings/en/phrases';

describe('signed', () => {
  test.each([
    [0.3124, '+0.312'],
    [-0.05, '−0.050'],
    [0, '0'],
    [-0, '0'],
    [0.0000012, '+1.2e−6'],
    [-0.0004, '−4.0e−4'],
    [1234567, '+1.23e6'],
    [-12.5, '−12.500'],
    [NaN, '–'],
    [Infinity, '–'],
    [null, '–'],
    [undefined, '–'],
  ])('%s is written %s', (x, text) => expect(signed(x)).toBe(text));
});

test('numbers in a sentence of the engine get minus signs, words keep their hyphens', () => {
  expect(withMinus('log-odds by 1e-05 (Single -0.73, AOPC-R .2)')).toBe(
    'log-odds by 1e−05 (Single −0.73, AOPC-R .2)',
  );
});

test('plain drops the plus and the zeros at the end, not those of whole numbers', () => {
  expect([0.05, 150, -1, 1000, 0.3124, 0, 1e-7].map((x) => plain(x))).toEqual([
    '0.05',
    '150',
    '−1',
    '1000',
    '0.312',
    '0',
    '1.0e−7',
  ]);
});

describe('percent', () => {
  test.each([
    [0, '0 %'],
    [1, '100 %'],
    [0.9823, '98.2 %'],
    [0.5, '50 %'],
    [0.0004, '< 0.1 %'],
    [0.99951, '> 99.9 %'],
    [NaN, '–'],
  ])('%s is %s', (p, text) => expect(percent(p)).toBe(text));
});

test('a value is a percentage only when it is a probability', () => {
  expect(value(0.25, 'probability')).toBe('25 %');
  expect(value(0.25, 'logit')).toBe('0.25');
  expect(value(17.4, 'months')).toBe('17.4 months');
});

test('counts, sizes and numbers of things', () => {
  expect(count(1234567)).toBe('1\u202f234\u202f567');
  expect(count(999)).toBe('999');
  expect([bytes(12), bytes(509650), bytes(5390481)]).toEqual(['12 B', '510 kB', '5.4 MB']);
  expect([plural(1, 'instance'), plural(0, 'instance'), plural(2, 'class', 'classes')]).toEqual([
    '1 instance',
    '0 instances',
    '2 classes',
  ]);
});

test('a shape names its symbolic sides', () => {
  expect(shape([-1, 1, 28, 28], ['k', '', '', ''])).toBe('k × 1 × 28 × 28');
  expect(shape([-1, 4])).toBe('? × 4');
  expect(shape([])).toBe('one number');
});

test('decimals are those of the error', () => {
  expect([0.05, 0.468, 4, 0.0004, 12].map((error) => decimals(error))).toEqual([2, 1, 0, 3, 0]);
  expect([0, null, undefined, NaN, Infinity].map((error) => decimals(error))).toEqual([
    3, 3, 3, 3, 3,
  ]);
  expect(signed(0.4312, decimals(0.05))).toBe('+0.43');
});

const digit = { one: 'digit', several: 'digits' };

test('scores in words carry their sign as a verb', () => {
  const r = (score: number, evident: boolean, neutral = 0) => ({
    ...{ score, evident, neutral },
    difference: score - neutral,
  });
  expect(sentence(digit, 7, 'an 8', r(0.3149, true))).toBe('digit 8 supports “an 8” by 0.31');
  expect(sentence(digit, 0, 'a 9', r(-0.2, true))).toBe('digit 1 refutes “a 9” by 0.2');
  expect(sentence(digit, 0, 'a 9', r(NaN, false))).toBe('digit 1 has no score for “a 9”');
  // Of what chance explains neither a sign nor a size is said.
  expect(sentence(digit, 0, 'a 9', r(5.1e-12, false))).toBe(
    'digit 1 does not stand out from 0 for “a 9”',
  );
  // A score of Single is measured from the mean of the bag.
  expect(sentence(digit, 3, 'a 9', r(0.2, true, 0.25))).toBe('digit 4 refutes “a 9” by 0.05');
  expect(verb(r(0.25, false, 0.25))).toBe('does not stand out from the neutral point 0.25 for');
});

test.each([
  ['de', '98,2 %', '−0,0500', '12\u202f400', '1,2 MB', '+1,2e−6'],
  // Marks keep signs and units in their places where lines run from right to left.
  ['ar', '98.2 %', '−0.0500', '12\u202f400', '1.2 MB', '+1.2e−6'],
])(
  'in %s numbers have its decimal sign, and keep their direction',
  async (language, ...written) => {
    const file = fileURLToPath(new URL('../../src/lib/format.ts', import.meta.url));
    const { module } = await runnerImport<typeof import('../../src/lib/format')>(file, {
      configFile: false,
      define: { LANGUAGE: JSON.stringify(language) },
    });
    const { percent, fixed, count, bytes, signed } = module;
    expect([
      percent(0.9823),
      fixed(-0.05, 4),
      count(12400),
      bytes(1.23e6),
      signed(0.0000012),
    ]).toEqual(
      written.map((text, i) =>
        language === 'ar' && [0, 1, 4].includes(i) ? `\u2066${text}\u2069` : text,
      ),
    );
  },
);
