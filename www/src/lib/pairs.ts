// Pairs as the page lists and draws them: twins as one, the strongest first.
import type { Pair, Pairs } from 'bagscope';

/** Pairs that a reader can tell apart in a picture or a table. */
export const MOST_PAIRS = 12;

/** A pair of instances, or of groups of twins, with the strongest of its pairs. */
export interface Joint {
  readonly a: readonly number[];
  readonly b: readonly number[];
  readonly pair: Pair;
}

/**
 * Returns the evident pairs, the strongest first. Pairs of the same two groups of twins are one; a
 * pair within a group joins the group with itself.
 */
export function jointsOf({ pairs, twins }: Pick<Pairs, 'pairs' | 'twins'>): Joint[] {
  const group = new Map(twins.flatMap((g) => g.map((i) => [i, g] as const)));
  const found = new Map<string, Joint>();
  for (const pair of pairs) {
    if (!pair.evident) continue;
    const [a, b] = [pair.a, pair.b].map((i) => group.get(i) ?? [i]) as [number[], number[]];
    const key = [a[0], b[0]].sort((x, y) => x! - y!).join();
    if (!found.has(key)) found.set(key, { a, b, pair });
  }
  return [...found.values()];
}

/** The smallest part of the strongest interaction that is drawn. Weaker lines would hide it. */
const WEAKEST = 0.05;

/** The pairs that are drawn in a picture. */
export function strongOf(joints: readonly Joint[]): Joint[] {
  const least = WEAKEST * Math.abs(joints[0]?.pair.value ?? 0);
  return joints.slice(0, MOST_PAIRS).filter(({ pair }) => Math.abs(pair.value) >= least);
}
