// Drawing coalitions as MILLI does, in the page, so that each can be seen to arrive. What they are
// worth, and the fit, are the engine's.
import { inclusions } from './curve.ts';
import { shuffled, stream } from './random.ts';

/** A coalition as the engine writes it: a character an instance, 1 for those that are in. */
export type Coalition = string;

/**
 * Instances from the most to the least important: by `value`, the largest first. Ties are broken by
 * the seed, never by index, which means nothing in a bag.
 */
export function ranking(value: readonly number[], seed: number): number[] {
  const tie = shuffled(value.length, stream(seed));
  const at = (i: number) => value[i]!;
  return value.map((_, i) => i).sort((a, b) => at(b) - at(a) || tie[a]! - tie[b]!);
}

/**
 * Draws n different coalitions, none of them empty or full: the instance of rank r is in with
 * probability π_R(r). Fewer where a bag has fewer, or where the curve is so steep that others are
 * too rare to be met.
 */
export function draw(
  order: readonly number[],
  n: number,
  alpha: number,
  beta: number,
  seed: number,
): Coalition[] {
  const k = order.length;
  const p = inclusions(k, alpha, beta);
  const random = stream(seed);
  const found = new Set<Coalition>();
  for (let tries = 0; found.size < n && tries < 100 * n; tries++) {
    const z = new Array<string>(k);
    for (let r = 0; r < k; r++) z[order[r]!] = random() < p[r]! ? '1' : '0';
    const coalition = z.join('');
    if (coalition.includes('0') && coalition.includes('1')) found.add(coalition);
  }
  return [...found];
}

/** The instances of a coalition. */
export function members(coalition: Coalition): number[] {
  return [...coalition].flatMap((c, i) => (c === '1' ? [i] : []));
}

/** How many instances are in. */
export function size(coalition: Coalition): number {
  return members(coalition).length;
}
