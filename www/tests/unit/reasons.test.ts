import { describe, expect, it } from 'vitest';
import { oddsOf, renamed } from '../../src/look/map/reasons';

describe('sentences of the engine', () => {
  it('have the names that the user gave to classes, each at its place', () => {
    const sentences = ['It says “0” (1 %).', 'Without it the model would say “1” (9 %), not “x”.'];
    expect(renamed(sentences, ['0', '1'], ['1', 'tumour'])).toBe(
      'It says “1” (1 %). Without it the model would say “tumour” (9 %), not “x”.',
    );
    expect(renamed([], ['0'], ['a'])).toBe('');
  });
});

describe('odds', () => {
  it('are those to the other classes if these exclude each other', () => {
    expect(oddsOf([0.2, 0.8], 1)).toBeCloseTo(4, 12);
    expect(oddsOf([1 - 1e-12, 3e-13, 7e-13], 0)).toBeCloseTo(1e12, -2);
  });

  it('are p to 1 - p of classes that do not, and of one class', () => {
    expect(oddsOf([0.9, 0.75], 1)).toBeCloseTo(3, 12);
    expect(oddsOf([0.9], 0)).toBeCloseTo(9, 12);
    expect(oddsOf([1], 0)).toBe(Infinity);
  });
});
