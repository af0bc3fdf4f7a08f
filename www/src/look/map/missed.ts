// What one instance changes in the bag as it is: the prediction with it, less that without it.
import type { Explanation } from 'bagscope';
import { describe, isCancelled } from '../state/problem';
import { members } from '../explain/prediction';
import { output } from '../explain/request';
import { sign, type Reading } from '../state/evidence';
import { type Missed, putMissed } from '../state/answer.svelte';
import { loaded } from '../state/document.svelte';
import { question } from '../state/question.svelte';
import { warn } from '../state/session.svelte';

/** Bounds log-odds of probabilities near 0 and 1, as the scores do (METHODS, section 4). */
const LEAST = 1e-4;
const odds = (p: number) => Math.log((p + LEAST) / (1 - p + LEAST));

let running: AbortController | null = null;

/** Predicts the bag with and without an instance. A newer call makes this one moot. */
export async function measureMissed(instance: number): Promise<void> {
  running?.abort();
  const { model, bag } = loaded;
  const { removed } = question;
  if (!model || !bag) return;
  const others = members().filter((i) => i < bag.instances && i !== instance);
  if (others.length === 0) return;
  const mine = (running = new AbortController());
  const whole = [...others, instance].sort((a, b) => a - b);
  try {
    const [one, other] = await model.score(bag, [whole, others], {
      ...output(),
      signal: mine.signal,
    });
    if (running === mine) putMissed({ bag, removed, instance, values: [one!, other!] });
  } catch (error) {
    if (running === mine && !isCancelled(error)) warn({ ...describe(error), untilExplained: true });
  }
}

/** How much the value of an explanation's class falls without the instance, in its unit of scores. */
export function fall({ values: [whole, without] }: Missed, e: Explanation): number {
  const [a, b] = [whole[e.class] ?? NaN, without[e.class] ?? NaN];
  return e.unit === 'log-odds' ? odds(a) - odds(b) : a - b;
}

/**
 * Whether the score and what the instance changes here have different signs, and the latter is at
 * least a twentieth of the former, as in the engine's `missed` (METHODS, section 7).
 */
export const differs = (r: Reading, fallen: number): boolean =>
  r.evident && Math.abs(fallen) >= Math.abs(r.difference) / 20 && Math.sign(fallen) === -sign(r);
