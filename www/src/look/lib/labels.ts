// The names of the classes beside the rows of a drawing, as text of the page.
import type { Cell } from 'bagscope';

/**
 * How wide a letter of the engine's own type is, which room is left in, and that of the page's
 * small type about, at 16 pixels to the em.
 */
const BLANK = 8;
const LETTER = 7;
/** The engine takes no more than a third of the width for names. */
const SHARE = 1 / 3;

/** How names are shown in a drawing so wide, on a page whose type has so many pixels to the em. */
export function labelled(
  names: readonly string[],
  width: number,
  em = 16,
): { blank: string; keys: string[] | null } {
  const letter = (LETTER * em) / 16;
  const longest = Math.max(1, ...names.map((n) => [...n].length)) * letter;
  // Names that would be cut are letters, and what they mean stands above.
  const keys = longest > width * SHARE - 12 ? names.map((_, i) => key(i)) : null;
  return { blank: ' '.repeat(Math.ceil((keys ? 2 * letter : longest) / BLANK)), keys };
}

/** A, B, … Z, AA, AB, … */
export function key(i: number): string {
  return (i >= 26 ? key(Math.floor(i / 26) - 1) : '') + String.fromCharCode(65 + (i % 26));
}

/** A drawing as it lies on the page; lengths of cells are `scale` times those of the page. */
export interface Laid {
  cells: readonly Cell[];
  width: number;
  height: number;
  scale: number;
}

export interface Label {
  /** Which of the classes drawn. */
  at: number;
  left: number;
  top: number;
  width: number;
  height: number;
  /** Whether it stands above a column of bars, not beside a row of cells. */
  above: boolean;
}

/** The least place of cells. Engines limit the arguments that `Math.min` takes, and cells are many. */
export const least = (cells: readonly Cell[], axis: 'x' | 'y'): number =>
  cells.reduce((low, c) => Math.min(low, c[axis]), Infinity);

/** The height above the cells and the names, which has nothing in it. */
export const headOf = (laid: Laid): number =>
  Math.max(0, Math.min(least(laid.cells, 'y') / laid.scale - 2, ...places(laid).map((l) => l.top)));

/** Where the names go: beside every row of a class's cells, or above its column. */
export function places(laid: Laid): Label[] {
  const { scale } = laid;
  const scored = laid.cells.filter((c) => c.class !== null);
  const classes = [...new Set(scored.map((c) => c.class!))];
  const first = new Map<string, Cell>();
  const lefts = new Map<number, number>();
  for (const c of scored) {
    const row = `${c.class} ${c.y}`;
    const known = first.get(row);
    if (!known || c.x < known.x) first.set(row, c);
    lefts.set(c.class!, Math.min(lefts.get(c.class!) ?? Infinity, c.x));
  }
  const columns = classes.length > 1 && new Set(lefts.values()).size === classes.length;
  const single =
    classes.length === 1 && scored.length > 1 && new Set(scored.map((c) => c.x)).size === 1;
  if (columns || single) {
    const top = least(laid.cells, 'y') / scale - 24;
    return classes.map((c, at) => {
      const cell = scored.find((s) => s.class === c)!;
      return { at, left: cell.x / scale, top, width: cell.width / scale, height: 20, above: true };
    });
  }
  const room = least(scored, 'x') / scale - 16;
  if (!(room > 12)) return [];
  return [...first.values()]
    .filter((c) => c.height / scale >= 12)
    .map((c) => ({
      at: classes.indexOf(c.class!),
      left: 12,
      top: c.y / scale,
      width: room,
      height: c.height / scale,
      above: false,
    }));
}
