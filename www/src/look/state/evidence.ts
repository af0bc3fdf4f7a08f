// What a score is evidence of: which side of the neutral point it lies on, and whether chance
// explains that.
import type { Explanation } from 'bagscope';
// By its path, because the build reads this module without the names of packages.
import { leastDrawn, reading, sign, type Reading } from '../../../../wasm/npm/dist/patches.js';

export { reading, sign, type Reading };

/** The class of the colour that a score is written in. */
export const tone = (r: Reading): string => ['refute', '', 'support'][sign(r) + 1]!;

/** The explanations that share a scale with one: those in its unit. */
export const sharing = (e: Explanation, all: readonly Explanation[]): Explanation[] =>
  all.filter((other) => other.unit === e.unit);

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
