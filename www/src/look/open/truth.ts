// Annotations of the slide as the truth of its patches, which metrics compare with.
import { go } from './openbag';
import { loaded, stateTruth } from '../state/document.svelte';
import { notify } from '../state/session.svelte';
import { look as words } from '../../strings';

/** Takes annotations as the truth of the open patches, null for none. */
export async function useTruth(file: File | null): Promise<void> {
  stateTruth(file);
  if (!loaded.bag) return;
  await go(loaded.index, { keep: true });
  const { labels, instances } = loaded.bag ?? {};
  if (file && labels)
    notify(words.truth.inside(labels.filter((label) => label > 0).length, instances!, file.name));
}
