// NDCG@n, term by term: how much of what is known to matter stands at the top of a ranking.

export interface Truth {
  support: readonly number[];
  refute: readonly number[];
}

export interface Term {
  instance: number;
  /** 1 supports the class, 0 is neutral, −1 refutes it. */
  relevance: number;
  /** 1 / log₂(place + 1), places counted from 1. */
  discount: number;
}

export interface Gain {
  terms: Term[];
  /** What the best order would reach. */
  ideal: number;
  /** Σ relevance · discount / ideal. */
  ndcg: number;
}

/**
 * The n highest scores with what they earn, n being the number of supporting instances; null where
 * there is none.
 */
export function gain(
  scores: readonly number[],
  labels: readonly number[],
  truth: Truth,
): Gain | null {
  const known = scores.map((_, i) => i).filter((i) => labels[i] !== undefined && labels[i] !== -1);
  const relevance = (i: number) =>
    truth.support.includes(labels[i]!) ? 1 : truth.refute.includes(labels[i]!) ? -1 : 0;
  const n = known.filter((i) => relevance(i) === 1).length;
  if (n === 0) return null;
  const terms = known
    .sort((a, b) => scores[b]! - scores[a]!)
    .slice(0, n)
    .map((instance, at) => ({
      instance,
      relevance: relevance(instance),
      discount: 1 / Math.log2(at + 2),
    }));
  const ideal = terms.reduce((sum, t) => sum + t.discount, 0);
  return {
    terms,
    ideal,
    ndcg: terms.reduce((sum, t) => sum + t.relevance * t.discount, 0) / ideal,
  };
}
