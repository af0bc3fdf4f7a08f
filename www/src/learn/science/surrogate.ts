// The surrogate g(z) = φ₀ + Σ φᵢ zᵢ beside the model: what it predicts for the coalitions it was
// fitted to.
import type { Coalition } from './sampler';
import { inclusions } from './curve';

/**
 * MILLI's kernel: the mean of π_R over the instances that are in. `order` has the most important
 * first.
 */
export function weights(
  coalitions: readonly Coalition[],
  order: readonly number[],
  alpha: number,
  beta: number,
): number[] {
  const p = inclusions(order.length, alpha, beta);
  return coalitions.map((z) => {
    let [sum, count] = [0, 0];
    for (let rank = 0; rank < order.length; rank++) {
      if (z[order[rank]!] !== '1') continue;
      sum += p[rank]!;
      count++;
    }
    return count ? sum / count : 0;
  });
}

/** Σ φᵢ zᵢ of each coalition. */
export function sums(coalitions: readonly Coalition[], phi: readonly number[]): number[] {
  return coalitions.map((z) => phi.reduce((sum, x, i) => (z[i] === '1' ? sum + x : sum), 0));
}

/** φ₀: what is left on average, by weight, once the instances have had their say. */
export function intercept(
  values: readonly number[],
  added: readonly number[],
  weight: readonly number[],
): number {
  let [sum, total] = [0, 0];
  values.forEach((v, i) => {
    sum += weight[i]! * (v - added[i]!);
    total += weight[i]!;
  });
  return total > 0 ? sum / total : 0;
}

/**
 * Weighted R²: the share of the variance of the values that the surrogate's account for; NaN where
 * there is none.
 */
export function r2(
  values: readonly number[],
  fitted: readonly number[],
  weight: readonly number[],
): number {
  const total = weight.reduce((a, b) => a + b, 0);
  const mean = values.reduce((sum, v, i) => sum + weight[i]! * v, 0) / total;
  let [residual, variance] = [0, 0];
  values.forEach((v, i) => {
    residual += weight[i]! * (v - fitted[i]!) ** 2;
    variance += weight[i]! * (v - mean) ** 2;
  });
  return 1 - residual / variance;
}
