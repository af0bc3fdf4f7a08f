// The parts of an instance as a picture: a rectangle for each, in the colour and with the sign of
// its score.
import type { Bag, InsideMap } from 'bagscope';

export interface Part {
  /** The upper left corner and the sides, in pixels of the instance. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** From −1 to 1, relative to the largest score; 0 if the score is not evident. */
  readonly weight: number;
}

type Grid = Pick<InsideMap, 'cell' | 'columns' | 'width' | 'height' | 'scores' | 'evident'>;

/** The parts of a map, row by row. */
export function partsOf(m: Grid): Part[] {
  const most = Math.max(...m.scores.map(Math.abs), Number.MIN_VALUE);
  return m.scores.map((score, n) => {
    const [x, y] = [(n % m.columns) * m.cell, Math.floor(n / m.columns) * m.cell];
    return {
      x,
      y,
      width: Math.min(m.cell, m.width - x),
      height: Math.min(m.cell, m.height - y),
      weight: m.evident[n] ? score / most : 0,
    };
  });
}

/** A plus or a minus in the middle of each part that has a sign. */
export function signsOf(parts: readonly Part[]): string {
  return parts
    .filter((p) => p.weight !== 0)
    .map(({ x, y, width, height, weight }) => {
      const [cx, cy] = [x + width / 2, y + height / 2];
      const reach = 0.22 * Math.min(width, height);
      const bar = `M${short(cx - reach)} ${short(cy)}h${short(2 * reach)}`;
      return weight < 0 ? bar : `${bar}M${short(cx)} ${short(cy - reach)}v${short(2 * reach)}`;
    })
    .join('');
}

/** The rectangle of part n as a bar, of which each has a column from −1 to 1. */
export const barOf = ({ weight }: Pick<Part, 'weight'>, n: number) => ({
  x: n + 0.1,
  y: weight > 0 ? -weight : 0,
  width: 0.8,
  height: Math.abs(weight),
});

/** The parts with the largest scores. */
export const strongest = (m: Pick<InsideMap, 'scores'>, most: number): number[] =>
  m.scores
    .map((_, n) => n)
    .sort((a, b) => Math.abs(m.scores[b]!) - Math.abs(m.scores[a]!))
    .slice(0, most);

/** The part in a direction of the arrow keys; the same one at an end. */
export function beside(m: Pick<InsideMap, 'columns' | 'rows'>, from: number, key: string): number {
  const [row, column] = [Math.floor(from / m.columns), from % m.columns];
  if (key === 'ArrowLeft' && column > 0) return from - 1;
  if (key === 'ArrowRight' && column + 1 < m.columns) return from + 1;
  if (key === 'ArrowUp' && row > 0) return from - m.columns;
  if (key === 'ArrowDown' && row + 1 < m.rows) return from + m.columns;
  return from;
}

const short = (x: number) => Number(x.toFixed(3));

/**
 * The bands of the pictures of a bag, or of those that its features were encoded from, as the engine
 * finds them in a shape; 0 for colours, of which no one asks, and for other shapes.
 */
export function bandsOf(bag: Pick<Bag, 'shape' | 'raw' | 'pictures'>): number {
  const shape = bag.pictures ?? bag.shape;
  const raw = bag.raw || bag.pictures !== null;
  const [first, rows, last] = shape;
  if (shape.length !== 3) return 0;
  const leading = first! <= 4 || (rows === last && first! < rows!);
  const bands = leading ? first! : last! <= 4 ? last! : 0;
  return bands < 2 || (raw && bands === 3) ? 0 : bands;
}
