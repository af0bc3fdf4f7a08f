// The order of instances in lists and in the rows of a table.
import type { Reading } from '../state/evidence';

export interface Order {
  /** A class index, or null for the instances' own order. */
  by: number | null;
  descending: boolean;
}

/**
 * Instance indices 0..count-1 in order. What has no score comes last either way; ties keep the
 * bag's order.
 */
export function ordered(
  count: number,
  order: Order,
  score: (instance: number) => number,
): number[] {
  const all = Array.from({ length: count }, (_, i) => i);
  if (order.by === null) return order.descending ? all.reverse() : all;
  const keys = all.map(score);
  const sign = order.descending ? -1 : 1;
  return all.sort((a, b) => {
    const [x, y] = [keys[a]!, keys[b]!];
    if (Number.isNaN(x) || Number.isNaN(y))
      return Number(Number.isNaN(x)) - Number(Number.isNaN(y)) || a - b;
    return sign * (x - y) || a - b;
  });
}

/**
 * The order after a click on a column's head: the same column turns round, another starts with the
 * most.
 */
export function clicked(order: Order, by: number | null): Order {
  if (order.by === by) return { by, descending: !order.descending };
  return { by, descending: by !== null };
}

type Readings = (instance: number) => Reading;

/** The size of a difference; 0 of an instance without a score. */
const size = ({ difference }: Reading) => Math.abs(difference) || 0;

/**
 * Instance indices 0..count-1 with the strongest first, whichever way they point: evidence before
 * what is not, then by the difference from the neutral point. Ties keep the bag's order.
 */
export function strongestFirst(count: number, reading: Readings): number[] {
  const strength = Array.from({ length: count }, (_, i) => {
    const r = reading(i);
    return { evident: Number(r.evident), size: size(r) };
  });
  return Array.from({ length: count }, (_, i) => i).sort((a, b) => {
    const [x, y] = [strength[a]!, strength[b]!];
    return y.evident - x.evident || y.size - x.size || a - b;
  });
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

/** An order, given what it is of and whether nothing is missing there. */
export type Keeper = (of: readonly unknown[], whole: boolean, make: () => number[]) => number[];

/**
 * Returns a function that keeps an order while instances are missing, so that nothing moves beneath
 * the pointer after a removal. It makes a new one for a whole bag, and for anything else than before.
 */
export function keeper(): Keeper {
  let kept: { of: readonly unknown[]; order: number[] } | null = null;
  return (of, whole, make) => {
    if (whole || kept?.of.some((part, i) => part !== of[i]) !== false) kept = { of, order: make() };
    return kept!.order;
  };
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
