// NumPy archives with features and coordinates in arrays of their own names.
import { length, numbers, type RawArray } from './array';
import type { Arrays } from './embedding';
import { readNpy } from './npy';
import { unpack, type Member } from './zip';

/**
 * The arrays of an archive. All that are small are read at once, for what they say of the others.
 */
export async function openNpz(
  name: string,
  file: Blob,
  members: readonly Member[],
): Promise<Arrays> {
  const arrays = new Map<string, RawArray>();
  const attributes: Record<string, unknown> = {};
  for (const m of members) {
    if (!m.name.endsWith('.npy')) continue;
    const key = m.name.slice(0, -4);
    // An array of words or objects is no part of a bag.
    const array = await unpack(name, file, m)
      .then((bytes) => readNpy(`${name}/${m.name}`, bytes))
      .catch(() => null);
    if (!array) continue;
    if (length(array.shape) === 1) attributes[key] = safe(array);
    else arrays.set(key, array);
  }
  const shapes = new Map([...arrays].map(([key, a]) => [key, a.shape]));
  return { file: name, attributes, shapes, read: async (key) => arrays.get(key)! };
}

function safe(array: RawArray): number | undefined {
  try {
    return numbers(array)[0];
  } catch {
    return undefined;
  }
}
