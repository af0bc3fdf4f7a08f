// How long a stage will take.
import type { Progress } from '../state/phase';

/** Before so many milliseconds and such a share an estimate is a guess. */
const LEAST_TIME = 2000;
const LEAST_SHARE = 0.02;

/** The share of a stage that is done, 0 to 1; null if that is not known. */
export function share({ done, total }: Progress): number | null {
  return total > 0 ? Math.min(1, done / total) : null;
}

/**
 * The seconds that a stage still takes, if it goes on as it went so far; null while that is not
 * known.
 */
export function remaining(p: Progress, now: number): number | null {
  const part = share(p);
  const elapsed = now - p.began;
  if (part === null || part < LEAST_SHARE || elapsed < LEAST_TIME) return null;
  return Math.ceil((elapsed * (1 - part)) / part / 1000);
}
