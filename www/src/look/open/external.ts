// Files that a model keeps tensors in, such as PyTorch's model.onnx.data, among those that were
// dropped.
import { BagscopeError } from 'bagscope';

/**
 * The files that an error says are missing, as paths below the model's folder; null for every other
 * error.
 */
export function missing(error: unknown): string[] | null {
  const files = error instanceof BagscopeError && error.kind === 'missing' && error.details.files;
  return typeof files === 'string' ? files.split('\n') : null;
}

/**
 * Those of the missing paths for which there is a file. A dropped file has a name and no folder, so
 * that one to which two paths lead is neither; of two files with one name the last counts.
 */
export function given(paths: readonly string[], files: readonly File[]): Record<string, File> {
  const found: [string, File][] = [];
  for (const path of paths) {
    const file = files.findLast((f) => f.name === base(path));
    if (file && paths.every((p) => p === path || base(p) !== base(path))) found.push([path, file]);
  }
  return Object.fromEntries(found);
}

/**
 * Opens a model with those of the files that it needs beside it, and returns them by their paths.
 * The first attempt is without them, because only its error states which are needed; a model that
 * comes before it can need further ones.
 */
export async function withParts<T>(
  files: readonly File[],
  open: (external: Record<string, File>) => Promise<T>,
): Promise<[T, Record<string, File>]> {
  let external: Record<string, File> = {};
  for (;;) {
    try {
      return [await open(external), external];
    } catch (error) {
      const more = given(missing(error) ?? [], files);
      if (Object.keys(more).every((path) => path in external)) throw error;
      external = { ...external, ...more };
    }
  }
}

/** The name of the file that a path leads to. */
export function base(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** A drop with a model whose files were not all there, and the names of those it still needs. */
let expected: { files: readonly File[]; names: readonly string[] } | null = null;

/** Remembers a drop that further files complete. */
export function expectFiles(files: readonly File[], paths: readonly string[]): void {
  expected = { files, names: paths.map(base) };
}

export const expectNothing = () => void (expected = null);

/**
 * The files of a drop, with those of an earlier one that it completes; a drop with a model of its
 * own completes none. The model of the earlier one is the last.
 */
export function completed(files: readonly File[], model: File | undefined): readonly File[] {
  const lacks = (f: File) => expected?.names.includes(f.name) ?? false;
  if (!files.some(lacks) || (model && !lacks(model))) return files;
  const others = files.filter((f) => f !== model);
  return [...(model ? [model] : []), ...expected!.files, ...others];
}
