// A bag under what the user states of it.
import type { Bag, Model } from 'bagscope';
import { statedFor } from '../state/document.svelte';
import type { BagSource } from '../state/types';

/**
 * Returns a bag of files for which inputs of the model beside it take what the user states, and
 * closes the one without.
 */
export async function asStated(
  bag: Bag,
  files: BagSource['files'],
  index: number,
  model: Model | null,
): Promise<Bag> {
  const taken = new Set(model?.info.covariates.map(({ name }) => name));
  const stated = Object.entries(statedFor(files, index)).filter(([name]) => taken.has(name));
  if (stated.length === 0) return bag;
  try {
    return await bag.withInputs(Object.fromEntries(stated));
  } finally {
    bag.close();
  }
}
