// What an instance of the open bag is called.
import { doc } from './document.svelte';
import type { BagInfo } from 'bagscope';
import { look as words } from '../../strings';

/**
 * The noun of the model's card, else that of the bag. Those that the engine knows are in the
 * language of the page.
 */
export function noun(): BagInfo['noun'] {
  const card = doc.model?.info.noun;
  const known = card?.one ? card : (doc.bag?.noun ?? words.nouns.instance!);
  return words.nouns[known.one] ?? known;
}
