// MILLI's sampling curve: how likely an instance is to be in a coalition, by its rank. Early, Evers
// and Ramchurn, ICLR 2022, section 4, in the form of the published code: K = k − 1, so that the
// first rank has p = α and the last 1 − α exactly.

/** The bend in force: above α = 0.5 the curve is mirrored. */
const bend = (alpha: number, beta: number) => (alpha < 0.5 ? beta : -beta);

/**
 * π_R(r), the probability of rank r among k instances, within α..1−α; rank 0 is the most important.
 */
export function inclusion(rank: number, k: number, alpha: number, beta: number): number {
  const last = k - 1;
  if (last < 1) return alpha;
  const b = bend(alpha, beta);
  if (b >= 0) return (2 * alpha - 1) * (1 - rank / last) * Math.exp(-b * rank) + 1 - alpha;
  return (1 - 2 * alpha) * (rank / last) * Math.exp(-b * (rank - last)) + alpha;
}

/** π_R of all ranks. */
export function inclusions(k: number, alpha: number, beta: number): number[] {
  return Array.from({ length: k }, (_, r) => inclusion(r, k, alpha, beta));
}

/** E|z|, the expected size of a coalition: the sum of the probabilities. */
export function expectedSize(k: number, alpha: number, beta: number): number {
  return inclusions(k, alpha, beta).reduce((sum, p) => sum + p, 0);
}

/** E|z| as the paper integrates it over ranks 0..K, with the bars around β that its print lacks. */
export function integralSize(k: number, alpha: number, beta: number): number {
  const K = k - 1;
  const b = bend(alpha, beta);
  const x = Math.abs(b) * K;
  if (x < 1e-6) return K / 2;
  const area = ((1 - 2 * alpha) / (K * b * b)) * (Math.exp(-x) + x - 1);
  return b > 0 ? K * (1 - alpha) - area : K * alpha + area;
}
