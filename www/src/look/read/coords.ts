// Where instances lie: from coordinates of their corners and the side of a patch to boxes.
import { ReadFault } from './fault';
import { read as words } from '../../strings';

/** The side of a patch in the units of the coordinates, and how it is known. */
export interface Side {
  side: number;
  /** A sentence where it was not written in the file. */
  note: string;
}

/**
 * The side of patches at whole-slide coordinates: what the file says of level 0, or of the level
 * they were cut at and how much smaller that is, or else the smallest distance between two
 * coordinates of an axis.
 */
export function patchSide(
  attributes: Readonly<Record<string, unknown>>,
  corners: ArrayLike<number>,
  axes = 2,
): Side {
  const number = (...keys: string[]) => {
    for (const key of keys) {
      const value = attributes[key];
      const n = Number(
        Array.isArray(value) || ArrayBuffer.isView(value)
          ? (value as unknown as number[])[0]
          : value,
      );
      if (value !== undefined && value !== null && value !== '' && Number.isFinite(n) && n > 0)
        return n;
    }
    return undefined;
  };
  const zero = number('patch_size_level0');
  if (zero) return { side: zero, note: '' };
  const size = number('patch_size', 'tile_size', 'patch_width');
  const level = Number(attributes.patch_level ?? attributes.level ?? 0);
  const shrink = number('downsample', 'patch_downsample') ?? 1;
  if (size && !(level > 0 && shrink === 1)) return { side: size * shrink, note: '' };
  const side = smallestStep(corners, axes);
  return {
    side,
    note: words.features.sideGuessed(side),
  };
}

/** The smallest distance above zero between two values of the same axis; 1 where all are equal. */
export function smallestStep(corners: ArrayLike<number>, axes = 2): number {
  let least = Infinity;
  for (const axis of [0, 1]) {
    const along = Float64Array.from(
      { length: Math.floor(corners.length / axes) },
      (_, i) => corners[axes * i + axis]!,
    ).sort();
    for (let i = 1; i < along.length; i++) {
      const step = along[i]! - along[i - 1]!;
      if (step > 0 && step < least) least = step;
    }
  }
  return Number.isFinite(least) ? least : 1;
}

const FURTHEST = 2 ** 31 - 1;

/** Boxes x0 y0 x1 y1 of patches with these corners, rounded to whole units. */
export function boxesOf(corners: ArrayLike<number>, side: number): Int32Array<ArrayBuffer> {
  const out = new Int32Array(2 * corners.length);
  for (let i = 0; i < corners.length / 2; i++) {
    for (const axis of [0, 1]) {
      const [from, to] = [
        Math.round(corners[2 * i + axis]!),
        Math.round(corners[2 * i + axis]! + side),
      ];
      if (!(Math.abs(from) <= FURTHEST && to <= FURTHEST))
        throw new ReadFault('format', words.features.noPlace(i, corners[2 * i + axis]!));
      out[4 * i + axis] = from;
      out[4 * i + 2 + axis] = Math.max(from + 1, to);
    }
  }
  return out;
}
