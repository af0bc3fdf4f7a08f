import type { Explanation } from 'bagscope';
import { expect, test } from 'vitest';
import { differs, fall } from '../../src/look/map/missed';

const missed = (whole: number, without: number) => ({
  bag: null as never,
  removed: [],
  instance: 0,
  values: [[whole], [without]] as [number[], number[]],
});
const of = (unit: string) => ({ class: 0, unit }) as unknown as Explanation;
const read = (difference: number, evident = true) => ({
  ...{ score: difference, difference, evident, neutral: 0 },
});

test('log-odds are bounded as in the scores, other units are differences', () => {
  expect(fall(missed(0.8, 0.3), of('probability'))).toBeCloseTo(0.5, 12);
  // log(.8001 / .2001) − log(.3001 / .7001)
  expect(fall(missed(0.8, 0.3), of('log-odds'))).toBeCloseTo(2.2330269, 6);
  // log(1.0001 / .0001) on both sides of one half
  expect(fall(missed(1, 0), of('log-odds'))).toBeCloseTo(2 * 9.21044, 4);
});

test('signs differ only where the score is evidence, and the fall a twentieth of it', () => {
  expect(differs(read(1.64), -0.43)).toBe(true);
  expect(differs(read(-1.64), 0.43)).toBe(true);
  expect(differs(read(1.64), 0.43)).toBe(false);
  expect(differs(read(1.64), -0.083)).toBe(true);
  expect(differs(read(1.64), -0.081)).toBe(false);
  expect(differs(read(1.64, false), -0.43)).toBe(false);
});
