import { describe, expect, it } from 'vitest';
import { evaluations, mostAsked } from '../../src/look/open/preflight';

describe('how often a method asks the model', () => {
  it.each([
    ['0', 30, NaN, 0],
    ['2k + 1', 30, NaN, 61],
    ['k + n', 30, 150, 180],
    ['up to 450k + 449', 30, NaN, 13949],
    ['k + n', 30, NaN, NaN],
    ['k * n', 30, 150, NaN],
    ['', 30, 150, NaN],
  ])('is what %s says of %i instances and %d samples', (cost, k, n, asked) => {
    expect(evaluations(cost, k, n)).toBe(asked);
  });

  type Method = Parameters<typeof mostAsked>[0];
  const milli: Method = { name: 'milli', cost: 'k + n', options: ['samples', 'alpha'] };
  const consensus: Method = { name: 'consensus', cost: 'up to 450k + 449', options: [] };
  const single: Method = { name: 'single', cost: 'k', options: [] };
  const of = (
    method: 'milli' | 'consensus' | 'single',
    evaluations: number,
    settings: Record<string, number> = {},
  ) => ({ method, evaluations, settings });

  it('goes by the explanation of the same method', () => {
    expect(mostAsked(milli, of('milli', 109, { samples: 80 }), '90', 30)).toBe(110);
    expect(mostAsked(consensus, of('consensus', 11215), undefined, 30)).toBe(11215);
    expect(mostAsked(milli, of('consensus', 11215), '90', 30)).toBe(120);
  });

  it('takes the samples that are asked for, or the default, before there is one', () => {
    expect(mostAsked(milli, undefined, '90', 30)).toBe(120);
    expect(mostAsked(milli, undefined, '', 30)).toBe(230);
    expect(mostAsked(milli, undefined, undefined, 100)).toBe(500);
    expect(mostAsked(milli, undefined, undefined, 1000)).toBe(2000);
  });

  it('is the upper bound of a method that stops by itself, until it has', () => {
    expect(mostAsked(consensus, undefined, '90', 30)).toBe(13949);
    expect(mostAsked(consensus, of('milli', 109, { samples: 80 }), '90', 30)).toBe(13949);
  });

  it('needs no n for a formula without one', () => {
    expect(mostAsked(single, undefined, '90', 30)).toBe(30);
    expect(mostAsked(single, of('single', 30), '90', 30)).toBe(30);
  });
});
