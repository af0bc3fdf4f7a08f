// Instances by the size of their evidence.
import type { Reading } from './evidence';

type Readings = (instance: number) => Reading;

/** The size of a difference; 0 of an instance without a score. */
const size = ({ difference }: Reading) => Math.abs(difference) || 0;

/**
 * Instance indices 0..count-1 with the strongest first, whichever way they point: evidence before
 * what is not, then by the difference from the neutral point. Ties keep the bag's order.
 */
export function strongestFirst(count: number, reading: Readings): number[] {
  const [evident, sizes] = [new Uint8Array(count), new Float64Array(count)];
  for (let i = 0; i < count; i++) {
    const r = reading(i);
    [evident[i], sizes[i]] = [Number(r.evident), size(r)];
  }
  const stronger = (a: number, b: number) =>
    evident[b]! - evident[a]! || sizes[b]! - sizes[a]! || a - b;
  return Array.from(Uint32Array.from(sizes.keys()).sort(stronger));
}

/**
 * The strongest of several readings of an instance, as [strongestFirst] has it; with none, one that
 * is no evidence.
 */
export function strongestOf(readings: readonly Reading[]): Reading {
  const none: Reading = { score: NaN, neutral: 0, difference: NaN, evident: false };
  return readings.reduce(
    (a, b) => ((Number(b.evident) - Number(a.evident) || size(b) - size(a)) > 0 ? b : a),
    none,
  );
}

/** The share of the sum of all differences that some instances make up: 0 to 1. */
export function shareOf(
  some: readonly number[],
  all: readonly number[],
  reading: Readings,
): number {
  const sum = (list: readonly number[]) => list.reduce((total, i) => total + size(reading(i)), 0);
  const whole = sum(all);
  return whole > 0 ? sum(some) / whole : 0;
}
