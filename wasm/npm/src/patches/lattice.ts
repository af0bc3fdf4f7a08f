/** Patches sorted into cells, so that those at a place are found without looking at all. */

import type { Frame, Rect, View } from "./view.js";

/** Cells of a lattice: 16 MB as a picture. */
const MOST_CELLS = 2 ** 22;

export class Lattice {
  /** Upper left corner of the first cell, and the side of a cell, in the units of the boxes. */
  readonly x: number;
  readonly y: number;
  readonly step: number;
  readonly columns: number;
  readonly rows: number;
  /** The longest side of a box. */
  readonly side: number;
  /** The first box of each cell, and the next box of the same cell; -1 ends the list. */
  private readonly first: Int32Array;
  private readonly next: Int32Array;

  constructor(readonly boxes: readonly Rect[]) {
    let [left, top, right, bottom, side] = [Infinity, Infinity, -Infinity, -Infinity, 0];
    for (const b of boxes) {
      left = Math.min(left, b.x);
      top = Math.min(top, b.y);
      right = Math.max(right, b.x);
      bottom = Math.max(bottom, b.y);
      side = Math.max(side, b.width, b.height);
    }
    if (boxes.length === 0) [left, top, right, bottom] = [0, 0, 0, 0];
    [this.x, this.y, this.side] = [left, top, side];
    let step = Math.min(
      stepOf(boxes, (b) => b.x, side),
      stepOf(boxes, (b) => b.y, side),
    );
    const cells = (length: number) => Math.floor(length / step + 1e-6) + 1;
    while (cells(right - left) * cells(bottom - top) > MOST_CELLS) step *= 2;
    this.step = step;
    [this.columns, this.rows] = [cells(right - left), cells(bottom - top)];
    this.first = new Int32Array(this.columns * this.rows).fill(-1);
    this.next = new Int32Array(boxes.length).fill(-1);
    for (let i = boxes.length - 1; i >= 0; i--) {
      const cell = this.cellOf(i);
      this.next[i] = this.first[cell]!;
      this.first[cell] = i;
    }
  }

  /** The cell that holds the corner of a box, row by row. */
  cellOf(instance: number): number {
    const b = this.boxes[instance]!;
    return this.row(b.y) * this.columns + this.column(b.x);
  }

  private column(x: number): number {
    return clamp(Math.floor((x - this.x) / this.step + 1e-6), this.columns);
  }

  private row(y: number): number {
    return clamp(Math.floor((y - this.y) / this.step + 1e-6), this.rows);
  }

  /** The cells whose boxes may reach into a rectangle, inclusive. */
  private around({ x, y, width, height }: Rect) {
    return {
      left: this.column(x - this.side),
      right: this.column(x + width),
      top: this.row(y - this.side),
      bottom: this.row(y + height),
    };
  }

  /** An upper bound on the cells in sight. */
  cellsIn(view: View, frame: Frame): number {
    const { left, right, top, bottom } = this.around(seen(view, frame));
    return (right - left + 1) * (bottom - top + 1);
  }

  /** The instances that may be in sight. */
  instancesIn(view: View, frame: Frame): number[] {
    return this.within(seen(view, frame));
  }

  private within(rect: Rect): number[] {
    const { left, right, top, bottom } = this.around(rect);
    const found: number[] = [];
    for (let row = top; row <= bottom; row++)
      for (let column = left; column <= right; column++)
        for (let i = this.first[row * this.columns + column]!; i >= 0; i = this.next[i]!)
          found.push(i);
    return found;
  }

  /** The instance whose box holds a point; of several the one whose middle is nearest; or -1. */
  at(x: number, y: number): number {
    let [best, least] = [-1, Infinity];
    for (const i of this.within({ x, y, width: 0, height: 0 })) {
      const b = this.boxes[i]!;
      if (x < b.x || y < b.y || x >= b.x + b.width || y >= b.y + b.height) continue;
      const far = (x - b.x - b.width / 2) ** 2 + (y - b.y - b.height / 2) ** 2;
      if (far < least) [best, least] = [i, far];
    }
    return best;
  }
}

function seen(view: View, frame: Frame): Rect {
  const [width, height] = [frame.width / view.scale, frame.height / view.scale];
  return { x: view.x, y: view.y, width, height };
}

function clamp(n: number, count: number): number {
  return Math.min(Math.max(n, 0), count - 1);
}

/**
 * The distance between neighbours along an axis. Places that are no grid can be close to each
 * other; an eighth of a side is then near enough.
 */
function stepOf(boxes: readonly Rect[], place: (b: Rect) => number, side: number): number {
  const places = Float64Array.from(boxes, place).sort();
  let least = Infinity;
  for (let i = 1; i < places.length; i++) {
    const gap = places[i]! - places[i - 1]!;
    if (gap > 0 && gap < least) least = gap;
  }
  return Math.max(Number.isFinite(least) ? least : side, side / 8, 1e-9);
}
