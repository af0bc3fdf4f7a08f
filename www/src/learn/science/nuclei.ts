// The truth of the bundled slide: how much of a patch nuclei cover, and how a map is judged by it.
import { gain } from './gain.ts';

/** The part that nuclei cover of squares side by side, row by row. */
export interface Density {
  /** Side of a square in pixels of level 0. */
  cell: number;
  columns: number;
  percent: readonly number[];
}

/** From this part on a patch has many nuclei. */
export const MANY = 0.15;

/** The part of each patch that nuclei cover, 0 to 1; patches are made of whole squares. */
export function shares(
  { cell, columns, percent }: Density,
  x: readonly number[],
  y: readonly number[],
  side: number,
): number[] {
  const n = Math.max(1, Math.round(side / cell));
  return x.map((left, i) => {
    const [column, row] = [Math.round(left / cell), Math.round(y[i]! / cell)];
    let sum = 0;
    for (let r = row; r < row + n; r++)
      for (let c = column; c < Math.min(column + n, columns); c++)
        sum += percent[r * columns + c] ?? 0; // what lies outside of the slide has none
    return sum / (100 * n * n);
  });
}

/** 1 for a patch with many nuclei, else 0. */
export const labels = (covered: readonly number[]): number[] =>
  covered.map((s) => (s >= MANY ? 1 : 0));

export interface Judged {
  labels: readonly number[];
  /** Patches from the highest to the lowest score. */
  order: readonly number[];
  /** Patches with many nuclei. */
  n: number;
  /** Of the n patches with the highest scores, those that have many nuclei. */
  found: number;
  /** NDCG@n; null if no patch has many nuclei. */
  ndcg: number | null;
  /** What a random order reaches in the mean: the part of patches that have many nuclei. */
  random: number;
}

/** Judges a map by labels. */
export function judge(scores: readonly number[], truth: readonly number[]): Judged {
  const order = scores.map((_, i) => i).sort((a, b) => scores[b]! - scores[a]!);
  const n = truth.filter((l) => l === 1).length;
  return {
    labels: truth,
    order,
    n,
    found: order.slice(0, n).filter((i) => truth[i] === 1).length,
    ndcg: gain(scores, truth, { support: [1], refute: [] })?.ndcg ?? null,
    random: truth.length > 0 ? n / truth.length : 0,
  };
}
