/**
 * Finds the cell at a point of a picture and the neighbours of a cell, for the pointer and the
 * arrow keys.
 */

import type { Cell } from "./types.js";

/** The cell under a point of the picture, of several the last, which is on top; or null. */
export function cellAt(cells: readonly Cell[], x: number, y: number): Cell | null {
  for (const c of [...cells].reverse()) {
    if (x >= c.x && x < c.x + c.width && y >= c.y && y < c.y + c.height) return c;
  }
  return null;
}

/**
 * One cell for each instance that the cursor can select: its own picture if there is one, else its
 * first score.
 */
export function places(cells: readonly Cell[]): Cell[] {
  const found = new Map<number, Cell>();
  for (const c of cells) {
    const known = found.get(c.instance);
    if (!known || (known.class !== null && c.class === null)) found.set(c.instance, c);
  }
  return [...found.values()].sort((a, b) => a.instance - b.instance);
}

export type Direction = "left" | "right" | "up" | "down" | "first" | "last";

/** The direction of each key that moves the cursor, by `KeyboardEvent.key`. */
export const arrowKeys: Readonly<Record<string, Direction>> = {
  ArrowLeft: "left",
  ArrowRight: "right",
  ArrowUp: "up",
  ArrowDown: "down",
  Home: "first",
  End: "last",
};

/**
 * The instance one step away from another. Left and right follow the order of the bag; up and down
 * the picture.
 */
export function neighbour(cells: readonly Cell[], from: number, direction: Direction): number {
  const all = places(cells);
  const at = all.findIndex((c) => c.instance === from);
  const here = all[at];
  if (!here) return all[0]?.instance ?? from;
  switch (direction) {
    case "left":
      return (all[at - 1] ?? here).instance;
    case "right":
      return (all[at + 1] ?? here).instance;
    case "first":
      return all[0]!.instance;
    case "last":
      return all[all.length - 1]!.instance;
    default:
      return (vertical(all, here, direction === "down" ? 1 : -1) ?? here).instance;
  }
}

// The nearest cell with its centre in another row, preferring the same column.
function vertical(all: readonly Cell[], here: Cell, sign: 1 | -1): Cell | null {
  let best: Cell | null = null;
  let least = Infinity;
  for (const c of all) {
    const dy = (middle(c.y, c.height) - middle(here.y, here.height)) * sign;
    if (dy < Math.min(c.height, here.height) / 2) continue;
    const dx = Math.abs(middle(c.x, c.width) - middle(here.x, here.width));
    const distance = dy + 3 * dx;
    if (distance < least) [best, least] = [c, distance];
  }
  return best;
}

function middle(start: number, length: number): number {
  return start + length / 2;
}
