// Taking instances out of the bag and putting them back.
import { explainChange } from '../explain/explanation';
import { follow, members, now } from '../explain/prediction';
import { doc } from '../state/document.svelte';
import { changeRemoved, fitting, question, stepRemoved } from '../state/question.svelte';
import { announce, sayMoved, warn } from '../state/session.svelte';
import { whatif } from '../state/whatif.svelte';
import { look as words } from '../../strings';
import { noun } from '../state/noun';

/** Takes an instance out of the bag, or puts it back, and predicts again. */
export const toggle = (instance: number): Promise<void> => toggleMany([instance]);

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
  const last = instances.length === 1 ? members().length === 1 : next.length === bag.instances;
  if (!back && last && whatif.added.length === 0) return warn(words.lastInstance(noun()));
  next.sort((a, b) => a - b);
  await move(() => changeRemoved(next), words.moved(noun(), instances, back));
}

/** Puts all instances back. */
export async function putAllBack(): Promise<void> {
  await move(() => changeRemoved([]), words.messages.allBack);
}

/** Takes exactly these instances out, those that the bag has. */
export async function putOut(instances: readonly number[]): Promise<void> {
  const next = fitting(instances);
  if (next.join() === question.removed.join()) return;
  const sentence = next.length > 0 ? words.moved(noun(), next, false) : words.messages.allBack;
  await move(() => changeRemoved(next), sentence);
}

/** Undoes the last removal or restoration of the open bag. */
export async function undo(): Promise<void> {
  if (question.past.length > 0) await move(() => stepRemoved(false), words.undo.undone);
}

/** Does again what was undone last. */
export async function redo(): Promise<void> {
  if (question.future.length > 0) await move(() => stepRemoved(true), words.undo.redone);
}

/** Changes what is removed, and predicts and explains the rest. */
async function move(change: () => void, sentence: string): Promise<void> {
  change();
  sayMoved(sentence);
  explainChange();
  if (await follow()) announce(`${sentence} ${now()}`);
}
