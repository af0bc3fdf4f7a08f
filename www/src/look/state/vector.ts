import type { Model } from 'bagscope';

/** Whether a model returns a vector: alone, compared with a target, or not. */
export function vectorOf(model: Model | null): 'alone' | 'compared' | null {
  const kind = model?.info.heads?.[0]?.kind;
  return kind === 'embedding' ? 'alone' : kind === 'likeness' ? 'compared' : null;
}
