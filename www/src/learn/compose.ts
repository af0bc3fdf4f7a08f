// A bag that the reader composes of digits: those of the prepared bags, and drawn ones. Both are in
// the address, drawn ones with all their pixels.
import { bags } from './bags';

/** Pixels of a digit across. */
export const SIDE = 28;
/** The most digits of a bag: what an address holds. */
export const MOST = 24;

export interface Digit {
  /** In the address: a prepared bag and an instance of it, or a drawing. */
  id: string;
  /** 0 for the ground to 255 for ink, row by row. */
  pixels: Uint8Array;
  /** null for a drawing. */
  label: number | null;
}

/** Pixels across that a digit fills, and grey levels of a drawing, which two bits of an address say. */
const FILLED = 20;
const LEVELS = 4;
const STEP = 255 / (LEVELS - 1);

/**
 * A drawing as the digits of the data set are: its longer side fills 20 of 28 pixels, and the mean
 * place of its ink is in the middle. `ink` has one number from 0 to 255 for each of side x side
 * pixels. Null without ink.
 */
export function drawn(ink: ArrayLike<number>, side: number): Digit | null {
  let [left, top, right, bottom, sum, sumX, sumY] = [side, side, -1, -1, 0, 0, 0];
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++) {
      const v = ink[y * side + x]!;
      if (v === 0) continue;
      [left, top] = [Math.min(left, x), Math.min(top, y)];
      [right, bottom] = [Math.max(right, x), Math.max(bottom, y)];
      [sum, sumX, sumY] = [sum + v, sumX + v * (x + 0.5), sumY + v * (y + 0.5)];
    }
  if (sum === 0) return null;
  const scale = Math.max(right - left + 1, bottom - top + 1) / FILLED;
  const levels = new Uint8Array(SIDE * SIDE);
  for (let y = 0; y < SIDE; y++)
    for (let x = 0; x < SIDE; x++)
      levels[y * SIDE + x] = Math.round(
        mean(
          ink,
          side,
          sumX / sum + (x - SIDE / 2) * scale,
          sumY / sum + (y - SIDE / 2) * scale,
          scale,
        ) / STEP,
      );
  return ofLevels(levels);
}

/** Points along a side at which a pixel samples what it shows. */
const POINTS = 4;

/** The mean of a square of a picture, whose outside is empty. */
function mean(ink: ArrayLike<number>, side: number, left: number, top: number, size: number) {
  let sum = 0;
  for (let i = 0; i < POINTS; i++)
    for (let j = 0; j < POINTS; j++) {
      const x = Math.floor(left + ((i + 0.5) / POINTS) * size);
      const y = Math.floor(top + ((j + 0.5) / POINTS) * size);
      if (x >= 0 && y >= 0 && x < side && y < side) sum += ink[y * side + x]!;
    }
  return sum / POINTS ** 2;
}

const DRAWING = 'd';
const BYTES = (SIDE * SIDE) / 4;

/** A drawing of grey levels 0 to 3. */
function ofLevels(levels: Uint8Array): Digit {
  const bytes = new Uint8Array(BYTES);
  levels.forEach((v, i) => (bytes[i >> 2]! |= v << (2 * (i & 3))));
  const text = btoa(String.fromCharCode(...bytes));
  return {
    id: DRAWING + text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', ''),
    pixels: levels.map((v) => v * STEP),
    label: null,
  };
}

/** The drawing of an id; null if it is none. */
function drawingOf(id: string): Digit | null {
  const text = id.slice(DRAWING.length).replaceAll('-', '+').replaceAll('_', '/');
  if (!id.startsWith(DRAWING) || text.length !== Math.ceil((BYTES * 4) / 3)) return null;
  try {
    const bytes = atob(text);
    return ofLevels(
      Uint8Array.from(
        { length: SIDE * SIDE },
        (_, i) => (bytes.charCodeAt(i >> 2) >> (2 * (i & 3))) & 3,
      ),
    );
  } catch {
    return null; // no base64
  }
}

const BETWEEN = '~';

/** What the address says of a bag. */
export const encodeBag = (bag: readonly Digit[]) => bag.map(({ id }) => id).join(BETWEEN);

/** The bag of an address; what is no digit is left out. */
export function decodeBag(text: string, tray: readonly Digit[]): Digit[] {
  return text
    .split(BETWEEN)
    .slice(0, MOST)
    .flatMap((id) => tray.find((digit) => digit.id === id) ?? drawingOf(id) ?? []);
}

/** The digits of prepared bags, by label; `values` has the pixels of each bag of ink. */
export function trayOf(
  values: ReadonlyMap<string, { pixels: ArrayLike<number>; labels: readonly number[] }>,
): Digit[] {
  const all = bags.flatMap(({ key }, b) => {
    const { pixels = [], labels = [] } = values.get(key) ?? {};
    return labels.map((label, i): Digit => ({
      id: `${b}.${i}`,
      pixels: Uint8Array.from({ length: SIDE ** 2 }, (_, p) => pixels[i * SIDE ** 2 + p]!),
      label,
    }));
  });
  return all.sort((a, b) => a.label! - b.label!);
}

/** A bag as a file of NumPy, (k, 1, 28, 28) of bytes. */
export function npy(bag: readonly Digit[]): Uint8Array<ArrayBuffer> {
  const shape = `(${bag.length}, 1, ${SIDE}, ${SIDE})`;
  const text = `{'descr': '|u1', 'fortran_order': False, 'shape': ${shape}, }`;
  const head = `\x93NUMPY\x01\x00\x76\x00${text.padEnd(117)}\n`;
  const out = new Uint8Array(head.length + bag.length * SIDE ** 2);
  out.set(Uint8Array.from(head, (c) => c.charCodeAt(0)));
  bag.forEach(({ pixels }, i) => out.set(pixels, head.length + i * SIDE ** 2));
  return out;
}
