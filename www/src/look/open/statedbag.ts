// A bag under what the user states of it.
import type { Bag, Model } from 'bagscope';
import { statedFor } from '../state/document.svelte';
import type { BagSource } from '../state/types';

/**
 * Returns a bag of a source with its annotations as labels, for which inputs of the model beside it
 * take what the user states. The bag is closed if another one replaces it, and after a failure.
 */
export async function asStated(
  bag: Bag,
  { files, annotations }: Pick<BagSource, 'files' | 'annotations'>,
  index: number,
  model: Model | null,
): Promise<Bag> {
  const taken = new Set(model?.info.covariates.map(({ name }) => name));
  const stated = Object.entries(statedFor(files, index)).filter(([name]) => taken.has(name));
  if (stated.length > 0)
    bag = await replaced(bag, () => bag.withInputs(Object.fromEntries(stated)));
  if (annotations && bag.boxes) bag = await replaced(bag, () => bag.withAnnotations(annotations));
  return bag;
}

async function replaced(bag: Bag, other: () => Promise<Bag>): Promise<Bag> {
  try {
    return await other();
  } finally {
    bag.close();
  }
}
