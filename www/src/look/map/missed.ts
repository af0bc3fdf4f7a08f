// What the bag as it is now loses without one instance, as the engine measures it.
import type { Explanation } from 'bagscope';
import { describe, isCancelled } from '../state/problem';
import { output } from '../explain/request';
import { putMissed } from '../state/answer.svelte';
import { loaded } from '../state/document.svelte';
import { question } from '../state/question.svelte';
import { warn } from '../state/session.svelte';
import { view } from '../state/view.svelte';

let running: AbortController | null = null;

/** Asks what the class of an explanation loses. A newer call makes this one moot. */
export async function measureMissed(instance: number, e: Explanation): Promise<void> {
  running?.abort();
  const { model, bag } = loaded;
  const { removed } = question;
  const without = removed.filter((i) => i !== instance);
  if (!model || !bag || without.length + 1 >= bag.instances) return;
  const mine = (running = new AbortController());
  const { difference, evident } = view.reading(e, instance);
  try {
    const { missedHere, opposed } = await model.missed(bag, instance, {
      class: e.class,
      without,
      score: evident ? difference : 0,
      logOdds: e.unit === 'log-odds',
      ...output(),
      signal: mine.signal,
    });
    if (running === mine) putMissed({ of: e, removed, instance, loss: missedHere, opposed });
  } catch (error) {
    if (running === mine && !isCancelled(error)) warn({ ...describe(error), untilExplained: true });
  }
}
