// The search of the documentation: an index that the build writes, fetched when a reader begins to
// search.
import MiniSearch from 'minisearch';
import { searchOptions, type Section } from './sections';

/** A section that a search has found. */
export type Found = Pick<Section, 'id' | 'page' | 'title'>;

/** Fetches the index, and returns a function that finds the sections for some words. */
export async function openIndex(): Promise<(words: string) => Found[]> {
  const response = await fetch(new URL('search.json', document.baseURI));
  if (!response.ok) throw new Error(`search.json: ${response.status}`);
  const index = MiniSearch.loadJSON<Section>(await response.text(), searchOptions);
  return (words) => index.search(words).slice(0, 12) as unknown as Found[];
}
