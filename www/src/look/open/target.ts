// What the vector that a model returns is compared with: a file, or the vector of another bag.
import type { Model } from 'bagscope';
import { loaded } from '../state/document.svelte';
import type { ModelSource } from '../state/types';
import { open } from './subject';

/** Whether a model returns a vector: alone, compared with a target, or not. */
export function vectorOf(model: Model | null): 'alone' | 'compared' | null {
  const kind = model?.info.heads?.[0]?.kind;
  return kind === 'embedding' ? 'alone' : kind === 'likeness' ? 'compared' : null;
}

/** Opens the model again, compared with a target, or with nothing for null. */
export async function compareWith(target: ModelSource['target'] | null): Promise<void> {
  const { modelSource } = loaded;
  if (modelSource) await open({ ...modelSource, target: target ?? undefined }, null);
}

/** Compares with the vector of the open bag, so that another bag can be opened beside it. */
export async function compareWithBag(): Promise<void> {
  const { model, bag } = loaded;
  if (!model || !bag) return;
  const { outputs } = await model.predict(bag);
  const output = outputs.find(({ name }) => name === model.info.output);
  if (output) await compareWith({ name: bag.name, vector: output.data });
}
