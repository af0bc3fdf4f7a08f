// What an instance of the open bag is called.
import { doc } from './document.svelte';
import { visible, type Bag } from 'bagscope';
import { look as words } from '../../strings';
import type { Noun } from '../../strings/en/phrases';

/**
 * The noun of the model's card, else that of the bag, and the names of the instances of the open
 * bag, or of another one. Nouns that the engine knows are in the language of the page.
 */
export function noun(bag: Pick<Bag, 'noun' | 'instanceNames'> | null | undefined = doc.bag): Noun {
  const names = bag === doc.bag ? doc.instanceNames : (bag?.instanceNames ?? []);
  const card = doc.model?.info.noun;
  const known = card?.one ? card : (bag?.noun ?? words.nouns[doc.slide ? 'patch' : 'instance']!);
  return {
    ...(words.nouns[known.one] ?? known),
    called: (index) => short(names[index] ?? ''),
  };
}

/** The end of a long name, in visible characters: names of paths differ there. */
export function short(name: string): string {
  const letters = [...visible(name)];
  return letters.length > 40 ? `…${letters.slice(-39).join('')}` : letters.join('');
}
