/**
 * What a score is evidence of: which side of the neutral point it lies on, and whether chance
 * explains that.
 */

import type { Explanation } from "../types.js";

/** A score as it is drawn and said. */
export interface Reading {
  /** As the method gave it; NaN where the instance was not explained. */
  score: number;
  /** Its distance from the neutral point, above zero where it supports the class. */
  difference: number;
  /**
   * Whether chance and rounding do not explain the difference: only then it has a colour and a
   * sign.
   */
  evident: boolean;
  neutral: number;
}

/** The score at a place of an explanation. */
export function reading(e: Explanation, at: number): Reading {
  const { neutral } = e;
  const score = e.scores[at] ?? NaN;
  const difference = score - neutral;
  const evident = Number.isFinite(difference) && difference !== 0 && (e.evident[at] ?? false);
  return { score, difference, evident, neutral };
}

/** +1 for what supports, −1 for what refutes, 0 for what is not evidence. */
export const sign = ({ evident, difference }: Reading): number =>
  evident ? Math.sign(difference) : 0;
