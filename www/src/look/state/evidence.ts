// What a score is evidence of: which side of the neutral point it lies on, and whether chance
// explains that.
import type { Explanation } from 'bagscope';
// By its path, because the build reads this module without the names of packages.
import { leastDrawn, reading, sign, type Reading } from '../../../../wasm/npm/dist/patches.js';
import type { BatchRow } from './types';

export { reading, sign, type Reading };

/** The class of the colour that a score is written in. */
export const tone = (r: Reading): string => ['refute', '', 'support'][sign(r) + 1]!;

/** The explanations that share a scale with one: those in its unit. */
export const sharing = (e: Explanation, all: readonly Explanation[]): Explanation[] =>
  all.filter((other) => other.unit === e.unit);

/** The scale of several bags that were explained together. */
export interface CommonScale {
  readonly scale: number;
  readonly bags: number;
}

/**
 * The scale that explanations share with bags that were explained by their method, in their unit:
 * the largest of all. Null for fewer than two bags, for explanations of several units, and if one of
 * them goes beyond it, as the class that another bag has can (METHODS section 5).
 */
export function commonScale(
  drawn: readonly Explanation[],
  rows: readonly Pick<BatchRow, 'drawn'>[],
): CommonScale | null {
  const [first] = drawn;
  const same = rows.filter(
    ({ drawn: d }) => d && d.method === first?.method && d.unit === first.unit,
  );
  const scale = Math.max(0, ...same.map(({ drawn: d }) => d!.scale));
  const within = drawn.every((e) => e.unit === first!.unit && e.scale.shared <= scale);
  return same.length > 1 && within ? { scale, bags: same.length } : null;
}

/** How many scores of an explanation are not evidence. */
export function unclear(e: Explanation): number {
  let n = 0;
  for (let at = 0; at < e.scores.length; at++) if (!reading(e, at).evident) n++;
  return n;
}

/** How many scores are evidence, and too small to have a colour of this scale. */
export function small(e: Explanation, scale: number): number {
  let n = 0;
  for (let at = 0; at < e.scores.length; at++) {
    const { evident, difference } = reading(e, at);
    if (evident && Math.abs(difference) < leastDrawn * scale) n++;
  }
  return n;
}

/** The largest finite difference from the neutral point. */
export function largest(e: Explanation): number {
  let most = 0;
  for (const score of e.scores) {
    const difference = Math.abs(score - e.neutral);
    if (Number.isFinite(difference)) most = Math.max(most, difference);
  }
  return most;
}

/** Whether the scores are sampled and the error of none is known, so that nothing is claimed. */
export const errorsUnknown = (e: Explanation): boolean =>
  !!e.stderr?.length && !Array.from(e.stderr).some(Number.isFinite);

/** What a picture shows, in numbers. */
export interface Legend {
  /** What the ends of the colours are, written out; null where no score is evidence. */
  ends: readonly [low: string, high: string] | null;
  /** The scale, the unit and the neutral point, a sentence each. */
  lines: readonly string[];
  /** How many scores are drawn in grey; '' where none is. */
  grey: string;
}
