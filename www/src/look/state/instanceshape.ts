// What a model wants of its instances.
import type { ModelInfo } from 'bagscope';

/** The side that a model wants of its pictures; 0 where any will do. */
export function fixedSide(model: ModelInfo | null): number {
  const [height = 0, width = 0] = instanceShape(model).slice(-2);
  return height === width && width > 1 ? width : 0;
}

/** Sides of an instance as a model wants it; below 1 where any will do. */
export function instanceShape(model: ModelInfo | null): readonly number[] {
  const input = model?.inputs.find((t) => t.name === model.input);
  return input ? input.shape.slice(model!.instanceAxis + 1) : [];
}
