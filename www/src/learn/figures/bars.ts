// Scores as bars around a line: up supports, down refutes, so that the sign is seen without its
// colour.

export interface Bars {
  support: string;
  refute: string;
  /** Scores that are not evidence: a dash on the line, with neither length nor sign. */
  noise: string;
}

/** Shorter bars than this share of the longest are not drawn. */
const LEAST = 0.004;

/**
 * Paths in a box as wide as there are scores and 2 high, the line at 1; a bar of `scale` is 1 long.
 */
export function bars(scores: readonly number[], scale: number, evident?: readonly boolean[]): Bars {
  const paths: Bars = { support: '', refute: '', noise: '' };
  scores.forEach((score, i) => {
    if (evident && !evident[i]) {
      paths.noise += `M${short(i + 0.26)} .95h.48v.1h-.48z`;
      return;
    }
    const length = Math.min(Math.abs(score) / scale, 1);
    if (!(length >= LEAST)) return;
    const x = short(i + 0.14);
    if (score > 0) paths.support += `M${x} 1v${short(-length)}h.72V1z`;
    else paths.refute += `M${x} 1v${short(length)}h.72V1z`;
  });
  return paths;
}

/** The path of the instances that are in, as squares in a row of height 1. */
export function squares(mask: string): string {
  let path = '';
  for (let i = 0; i < mask.length; i++)
    if (mask[i] === '1') path += `M${short(i + 0.1)} .1h.8v.8h-.8z`;
  return path;
}

/** Three digits are more than a pixel needs. */
function short(x: number): string {
  return String(Number(x.toFixed(3)));
}
