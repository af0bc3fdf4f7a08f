// Changing what is said of a model: where several models are one, it is said of each of them.
import type { ModelFile, ModelSource } from './types';

/** A model, or several, each with the part of its source that `part` makes of it. */
export function eachModel<T extends ModelSource | ModelFile>(
  source: T,
  part: (one: ModelSource | ModelFile) => Partial<ModelSource>,
): T {
  const folds = source.folds?.map((fold) => ({ ...fold, ...part(fold) }));
  return { ...source, ...part(source), folds };
}
