// HDF5 files as CLAM and TRIDENT write them, through jsfive: features (N, D) or (1, N, D), coords
// (N, 2), attributes.
import { File as HDF5, type Dataset, type Group } from 'jsfive';
import { checked, fromNumbers, length, type RawArray } from './array';
import type { Arrays } from './embedding';
import { ReadFault } from './fault';
import { MOST_BYTES, MOST_HDF5_VALUES } from './limits';
import { read as say } from '../../strings';

const MOST_OBJECTS = 200;
/**
 * Numbers of a chunk that is larger than its array, which resizable ones may be: h5py makes them of
 * a megabyte at most.
 */
const LARGEST_CHUNK = 2 ** 20;

/** Opens a file. jsfive wants all of it in memory. */
export async function openHDF5(name: string, file: Blob): Promise<Arrays> {
  if (file.size > MOST_BYTES) throw new ReadFault('limit', say.of(name, say.hdf5.tooLarge));
  const bytes = await file.arrayBuffer();
  const found = new Map<string, Dataset>();
  const attributes: Record<string, unknown> = {};
  guarded(name, () => collect(new HDF5(bytes, name), '', found, attributes, 0));
  const shapes = new Map<string, readonly number[]>();
  // What is no array of numbers, such as a text, is no part of a bag.
  for (const [key, set] of found)
    if (typeof set.dtype === 'string' && Array.isArray(set.shape)) shapes.set(key, set.shape);
  return {
    file: name,
    attributes,
    shapes,
    read: async (key) => read(`${name}/${key}`, found.get(key)!),
  };
}

function collect(
  group: Group,
  path: string,
  into: Map<string, Dataset>,
  attributes: Record<string, unknown>,
  depth: number,
): void {
  Object.assign(attributes, group.attrs);
  if (depth > 4) return;
  for (const key of group.keys) {
    if (into.size >= MOST_OBJECTS) return;
    const child = group.get(key);
    if (!child) continue;
    if ('keys' in child && Array.isArray(child.keys))
      collect(child as Group, `${path}${key}/`, into, attributes, depth + 1);
    else {
      into.set(path + key, child as Dataset);
      Object.assign(attributes, child.attrs);
    }
  }
}

function read(name: string, set: Dataset): RawArray {
  const shape = checked(name, set.shape, 4);
  const count = length(shape);
  if (count > MOST_HDF5_VALUES)
    throw new ReadFault('limit', say.hdf5.tooMany(name, shape, MOST_HDF5_VALUES));
  // A damaged file may claim chunks that take hours to walk through.
  const chunk = guarded(name, () => set._dataobjects.chunks);
  if (chunk && !(length(chunk) <= Math.max(count, LARGEST_CHUNK)))
    throw new ReadFault('format', say.hdf5.pieces(name, chunk));
  const values = guarded(name, () => set.value);
  if (values.length !== count || typeof values[0] === 'string')
    throw new ReadFault('format', say.array.notAsShaped(name));
  // Coordinates beyond float32's whole numbers would lose their last digits; those of slides are
  // far below.
  return fromNumbers(Float32Array.from(values, Number), shape);
}

// jsfive throws texts as well as errors, and reads beyond the end of a file that is cut short.
function guarded<T>(name: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    const words = cause instanceof Error ? cause.message : String(cause);
    if (/not implemented|NotImplemented|not supported/i.test(words))
      throw new ReadFault('unsupported', say.of(name, say.hdf5.unsupported(words.slice(0, 120))));
    throw new ReadFault('format', say.of(name, say.hdf5.damaged(words.slice(0, 120))));
  }
}
