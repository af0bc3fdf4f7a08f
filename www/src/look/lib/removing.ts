// Taking instances out of the bag and putting them back.
import { explain, predictRemaining } from './explaining';
import { value } from '../../lib/format';
import { answer } from '../state/answer.svelte';
import { doc } from '../state/document.svelte';
import { explainRemaining, question, removeExactly } from '../state/question.svelte';
import { announce, warn } from '../state/session.svelte';
import { look as words } from '../../strings';

/** Takes an instance out of the bag, or puts it back, and predicts again. */
export async function toggle(instance: number): Promise<void> {
  const { bag } = doc;
  const { removed } = question;
  if (!bag) return;
  const isOut = removed.includes(instance);
  if (!isOut && removed.length + 1 >= bag.instances) return warn(words.lastInstance);
  const next = isOut ? removed.filter((i) => i !== instance) : [...removed, instance];
  await remove(next.sort((a, b) => a - b));
  announce(words.messages.moved(instance, isOut, now()));
}

/**
 * Takes many instances out at once, or puts them back if all of them are out. At least one stays
 * in.
 */
export async function toggleMany(instances: readonly number[]): Promise<void> {
  const { bag } = doc;
  const { removed } = question;
  if (!bag || instances.length === 0) return;
  const [chosen, out] = [new Set(instances), new Set(removed)];
  const back = instances.every((i) => out.has(i));
  const next = back ? removed.filter((i) => !chosen.has(i)) : [...new Set([...removed, ...chosen])];
  if (next.length >= bag.instances) return warn(words.lastInstance);
  await remove(next.sort((a, b) => a - b));
  announce(`${words.moved(instances.length, back)} ${now()}`);
}

/** Puts all instances back. */
export async function putAllBack(): Promise<void> {
  await remove([]);
  announce(words.messages.allBack(now()));
}

/** Explains the remaining instances, or the whole bag again. */
export async function explainOnly(remaining: boolean): Promise<void> {
  explainRemaining(remaining);
  await explain();
}

async function remove(instances: number[]): Promise<void> {
  const again = question.remainingOnly;
  removeExactly(instances);
  await predictRemaining();
  if (again) await explain();
}

function now(): string {
  const p = answer.remaining?.prediction ?? answer.prediction;
  if (!p) return '';
  const c = answer.predicted;
  const x = p.prediction[c] ?? NaN;
  return words.messages.now(answer.className(c), value(x, answer.unit(c)));
}
