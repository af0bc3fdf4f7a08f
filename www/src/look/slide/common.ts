// Which patches of a grid are boxes of a bag.
import type { SlideGrid } from 'bagscope';
import type { Rect } from '../place/view';

/** Returns 1 for each patch whose corner is that of a box, and 0 for the others. */
export function common({ x, y }: SlideGrid, boxes: readonly Rect[]): Uint8Array {
  const key = (left: number, top: number) => left * 2 ** 26 + top;
  const known = new Set(boxes.map((b) => key(b.x, b.y)));
  return Uint8Array.from(x, (left, i) => (known.has(key(left, y[i]!)) ? 1 : 0));
}
