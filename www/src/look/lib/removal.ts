// Taking instances out of the bag and putting them back.
import { explain } from './explanation';
import { follow, members, now } from './prediction';
import { doc } from '../state/document.svelte';
import { explainRemaining, question, removeExactly } from '../state/question.svelte';
import { announce, warn } from '../state/session.svelte';
import { whatif } from '../state/whatif.svelte';
import { look as words } from '../../strings';

/** Takes an instance out of the bag, or puts it back, and predicts again. */
export async function toggle(instance: number): Promise<void> {
  const { bag } = doc;
  const { removed } = question;
  if (!bag) return;
  const isOut = removed.includes(instance);
  if (!isOut && members().length === 1) return warn(words.lastInstance);
  const next = isOut ? removed.filter((i) => i !== instance) : [...removed, instance];
  if (await remove(next)) announce(words.messages.moved(instance, isOut, now()));
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
  if (next.length === bag.instances && whatif.added.length === 0) return warn(words.lastInstance);
  if (await remove(next)) announce(`${words.moved(instances.length, back)} ${now()}`);
}

/** Puts all instances back. */
export async function putAllBack(): Promise<void> {
  if (await remove([])) announce(words.messages.allBack(now()));
}

/** Explains the remaining instances, or the whole bag again. */
export async function explainOnly(remaining: boolean): Promise<void> {
  explainRemaining(remaining);
  await explain();
}

/** Takes exactly these instances out. Returns whether the prediction of the rest is there. */
async function remove(instances: number[]): Promise<boolean> {
  const again = question.remainingOnly;
  removeExactly(instances.sort((a, b) => a - b));
  const followed = await follow();
  if (followed && again) await explain();
  return followed;
}
