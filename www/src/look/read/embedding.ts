// Features with coordinates, however an archive calls them, as one bag of the engine's own kind.
import { fromNumbers, length, numbers, width, type RawArray } from './array';
import { boxesOf, patchSide } from './coords';
import { ReadFault } from './fault';
import { npyHeader } from './npy';
import { archive } from './zip';
import { read as words } from '../../strings';

/** Arrays by name as a file holds them, read when they are asked for, and what it says beside. */
export interface Arrays {
  file: string;
  shapes: ReadonlyMap<string, readonly number[]>;
  read(name: string): Promise<RawArray>;
  attributes: Readonly<Record<string, unknown>>;
}

/** A bag for the engine, as the bytes of an .npz file. */
export interface Embedding {
  bag: Blob;
  notes: string[];
  /** Sides of the picture that the coordinates are of, where the file says them. */
  extent: { width: number; height: number } | null;
}

const say = words.features;

const FEATURES = ['features', 'feats', 'feat', 'embeddings', 'embedding', 'instances', 'x', 'data'];
const COORDS = ['coords', 'coordinates', 'coord', 'positions', 'locations', 'xy'];
const LABELS = ['instance_labels', 'inst_labels', 'y_inst', 'patch_labels'];

const last = (name: string) => name.slice(name.lastIndexOf('/') + 1).toLowerCase();

/** The name among those of a file that means one of the words; earlier words win. */
function find(names: readonly string[], among: readonly string[]): string | undefined {
  for (const word of among) {
    const found = names.find((n) => last(n) === word);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Whether an archive holds features with coordinates, as others write them, and no bag set of the
 * engine's own kind.
 */
export function hasCoordinates(names: readonly string[]): boolean {
  return !names.includes('boxes') && find(names, COORDS) !== undefined;
}

/**
 * Makes a bag of an archive: features (N, D) or (1, N, D), coordinates (N, 2) of corners where
 * there are any.
 */
export async function embed(arrays: Arrays): Promise<Embedding> {
  const { file, shapes, attributes } = arrays;
  const names = [...shapes.keys()];
  const featureName = find(names, FEATURES) ?? only(file, names, shapes);
  const features = squeezed(await arrays.read(featureName), file, featureName);
  const count = features.shape[0]!;
  const notes: string[] = [];
  const members = [{ name: 'instances.npy', parts: [npyHeader(features), features.bytes] }];
  const coordName = find(names, COORDS);
  if (coordName) {
    const coords = await arrays.read(coordName);
    const sides = coords.shape.filter((n, i) => !(n === 1 && i === 0 && coords.shape.length === 3));
    const [rows, axes = 0] = sides;
    if (rows !== count || (axes !== 2 && axes !== 4) || sides.length !== 2)
      throw new ReadFault(
        'format',
        say.coords(
          file,
          { name: coordName, shape: coords.shape },
          { name: featureName, shape: features.shape },
        ),
      );
    const values = numbers(coords);
    let boxes: Int32Array<ArrayBuffer>;
    if (axes === 4) boxes = Int32Array.from(values, Math.round);
    else {
      const { side, note } = patchSide(attributes, values);
      if (note) notes.push(note);
      boxes = boxesOf(values, side);
    }
    members.push(member('boxes.npy', fromNumbers(boxes, [count, 4])));
  } else notes.push(say.noCoords(file));
  const labelName = find(names, LABELS);
  if (labelName && length(shapes.get(labelName)!) === count) {
    const labels = Int32Array.from(numbers(await arrays.read(labelName)));
    members.push(member('instance_labels.npy', fromNumbers(labels, [count])));
  }
  const used = [featureName, coordName, labelName];
  const unused = names.filter((n) => !used.includes(n));
  if (unused.length > 0) notes.push(say.leftOut(file, unused));
  const [width, height] = [attributes.level0_width, attributes.level0_height].map(Number) as [
    number,
    number,
  ];
  return {
    bag: archive(members),
    notes,
    extent: width > 0 && height > 0 ? { width, height } : null,
  };
}

const member = (name: string, array: RawArray) => ({
  name,
  parts: [npyHeader(array), array.bytes],
});

// The only array that could be features: of two axes or more, and not of coordinates.
function only(
  file: string,
  names: readonly string[],
  shapes: ReadonlyMap<string, readonly number[]>,
): string {
  const able = names.filter((n) => shapes.get(n)!.length >= 2 && !COORDS.includes(last(n)));
  if (able.length === 1) return able[0]!;
  throw new ReadFault(
    'format',
    able.length === 0 ? say.none(file, names) : say.several(file, names),
  );
}

// A leading axis of one is a batch of one bag.
function squeezed(array: RawArray, file: string, name: string): RawArray {
  const shape =
    array.shape.length === 3 && array.shape[0] === 1 ? array.shape.slice(1) : array.shape;
  if (shape.length < 2 || length(shape) === 0)
    throw new ReadFault('format', say.rows(file, name, array.shape));
  if (array.bytes.length !== length(shape) * width(array.descr))
    throw new ReadFault('format', words.of(file, words.array.notAsShaped(name)));
  return { ...array, shape };
}
