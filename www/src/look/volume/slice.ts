// A slice of a volume as pixels under a window, and where its sides lie in the patient.

/** Values from centre - width / 2 to centre + width / 2 are shown from black to white. */
export interface Window {
  readonly centre: number;
  readonly width: number;
}

/** Sides of a slice as letters of the patient: R, L, A, P, H and F, the nearest first. */
export interface Sides {
  readonly left: string;
  readonly right: string;
  readonly top: string;
  readonly bottom: string;
}

/** The window that leaves out the darkest and the brightest hundredth of the values. */
export function windowOf(values: Float32Array): Window {
  // As many as a sort takes within a frame.
  const step = Math.max(1, Math.floor(values.length / 16384));
  const some = new Float32Array(Math.ceil(values.length / step));
  for (let i = 0; i < some.length; i++) some[i] = values[i * step]!;
  some.sort();
  const low = some[Math.floor(0.01 * (some.length - 1))] ?? 0;
  const high = some[Math.ceil(0.99 * (some.length - 1))] ?? 0;
  return { centre: (low + high) / 2, width: Math.max(high - low, 1e-6) };
}

/** The window after a drag: to the right widens it, down raises its centre; 400 pixels double it. */
export function dragged(from: Window, across: number, down: number): Window {
  const width = from.width * 2 ** (across / 400);
  return { centre: from.centre + (from.width * down) / 400, width: Math.max(width, 1e-6) };
}

/**
 * Writes a slice (channels, rows, columns) into pixels of red, green, blue and opacity. Three
 * channels of `colours` are red, green and blue; else the first one is shown.
 */
export function paint(
  values: Float32Array,
  colours: boolean,
  { centre, width }: Window,
  to: Uint8ClampedArray,
): void {
  const pixels = to.length / 4;
  const [low, gain] = [centre - width / 2, 255 / width];
  const [green, blue] = colours ? [pixels, 2 * pixels] : [0, 0];
  // A loop over channels would take twice as long.
  for (let i = 0, at = 0; i < pixels; i++, at += 4) {
    to[at] = (values[i]! - low) * gain;
    to[at + 1] = (values[green + i]! - low) * gain;
    to[at + 2] = (values[blue + i]! - low) * gain;
    to[at + 3] = 255;
  }
}

const AXES = ['LR', 'PA', 'HF'] as const;

/** The letters of a direction in the patient: x grows to the left, y to the back, z to the head. */
export function letters(direction: ArrayLike<number>): string {
  return AXES.map((pair, axis) => ({ pair, along: direction[axis] ?? 0 }))
    .filter(({ along }) => Math.abs(along) > 0.3)
    .sort((a, b) => Math.abs(b.along) - Math.abs(a.along))
    .map(({ pair, along }) => pair[along > 0 ? 0 : 1])
    .join('');
}

/** The sides of a slice whose columns and rows follow each other in these directions. */
export function sidesOf(rows: ArrayLike<number>, across: ArrayLike<number>): Sides {
  const back = (v: ArrayLike<number>) => Array.from(v, (x) => -x);
  return {
    ...{ left: letters(back(rows)), right: letters(rows) },
    ...{ top: letters(back(across)), bottom: letters(across) },
  };
}

/** A score beside its position, for a curve. */
export interface Mark {
  readonly instance: number;
  /** From 0 at one end of the volume to 1 at the other one: the middle of its slice. */
  readonly at: number;
  /** From -1 to 1 in parts of the largest score; 0 if it does not stand out. */
  readonly length: number;
}

/**
 * The path of bars from a line of zeros at x = 0 in the direction of a sign, one unit long for a
 * length of 1 and as wide as a slice, in a square of height 1.
 */
export function bars(marks: readonly Mark[], sign: 1 | -1): string {
  const half = 0.5 / Math.max(1, marks.length);
  return marks
    .filter((m) => m.length * sign > 0)
    .map((m) => `M0 ${m.at - half}H${m.length}V${m.at + half}H0Z`)
    .join('');
}
