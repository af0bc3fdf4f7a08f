// The prediction follows the bag: without the removed instances, and with those of the other bag.
// One request evaluates both over one encoded bag. A newer change makes an older one moot.
import { describe, isCancelled } from '../state/problem';
import { output } from './request';
import { answer, putRemaining } from '../state/answer.svelte';
import { loaded } from '../state/document.svelte';
import { question } from '../state/question.svelte';
import { warn, whileBusy } from '../state/session.svelte';
import { putChanged, whatif } from '../state/whatif.svelte';
import { value } from '../../lib/format';
import { look as words } from '../../strings';

let following: AbortController | null = null;
let last: Promise<boolean> = Promise.resolve(true);

/** Stops the running prediction. */
export const stopFollowing = () => following?.abort();

/** Resolves when the last prediction of the bag as it is now is there, or will not be. */
export const followed = (): Promise<boolean> => last;

/** The instances of the open bag that are not removed. */
function remaining(): number[] {
  const out = new Set(question.removed);
  return range(loaded.bag?.instances ?? 0).filter((i) => !out.has(i));
}

/** The instances of the changed bag, by their numbers in the joined one. */
export function members(): number[] {
  const own = loaded.bag?.instances ?? 0;
  return [...remaining(), ...whatif.added.map((i) => own + i)];
}

/**
 * Predicts the bag as it is now. Returns whether the prediction is there: a newer change, and an
 * error, which is shown, end it.
 */
export const follow = (): Promise<boolean> => (last = predictNow());

async function predictNow(): Promise<boolean> {
  following?.abort();
  const { model, bag } = loaded;
  const { removed } = question;
  const { moving } = whatif;
  if (removed.length === 0) putRemaining(null);
  if (!model || !bag) return false;
  const left = removed.length > 0 ? remaining() : [];
  const bags = [left, moving ? members() : []].filter((members) => members.length > 0);
  if (left.length === 0) putRemaining(null);
  if (bags.length === 0) return true;
  const mine = (following = new AbortController());
  const options = { ...output(), signal: mine.signal };
  const began = performance.now();
  try {
    const values = await whileBusy(() => model.score(moving?.joined ?? bag, bags, options));
    if (following !== mine) return false;
    const changed = moving ? values.pop() : undefined;
    if (changed) putChanged({ prediction: changed, milliseconds: performance.now() - began });
    const [own] = values;
    if (own) putRemaining({ values: own, curves: [], removed });
    // Coalitions have scores, and no survival curves.
    if (!own || answer.prediction?.curves.length === 0) return true;
    const { curves } = await model.predict(bag, { ...options, without: removed });
    if (following === mine) putRemaining({ values: own, curves, removed });
    return following === mine;
  } catch (error) {
    if (following === mine && !isCancelled(error))
      warn({ ...describe(error), untilExplained: true });
    return false;
  }
}

/** What is predicted for the bag as it is now, in words. */
export function now(): string {
  const { changed } = whatif;
  const c = changed ? whatif.class : answer.predictedNow;
  const values = changed?.prediction ?? answer.remaining?.values ?? answer.prediction?.prediction;
  if (!values) return '';
  return words.messages.now(answer.className(c), value(values[c] ?? NaN, answer.unit(c)));
}

const range = (n: number) => Array.from({ length: n }, (_, i) => i);
