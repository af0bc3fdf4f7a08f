// Scores laid over a picture: tints by sign, the strongest alone, what was taken out, what is
// pointed at.
import { sign, type Reading } from '../lib/evidence';
import type { Rect, View } from './view';

/** The colours of a theme: those that the engine draws with. */
export interface Palette {
  paper: string;
  ink: string;
  accent: string;
  support: string;
  refute: string;
  neutral: string;
  /** A score that is not evidence. */
  noise: string;
}

export const palettes: Record<'light' | 'dark', Palette> = {
  light: {
    paper: '#ffffff',
    ink: '#20242a',
    accent: '#2f4bb8',
    support: '#22a86c',
    refute: '#d03c24',
    neutral: '#e5e8ec',
    noise: '#ced2d8',
  },
  dark: {
    paper: '#14171c',
    ink: '#e6eaf0',
    accent: '#a3b4ff',
    support: '#34c789',
    refute: '#e25236',
    neutral: '#2e343c',
    noise: '#4a515b',
  },
};

/**
 * The colours of a scale from the strongest that refutes to the strongest that supports, for a
 * gradient.
 */
export function ramp(p: Palette): [offset: number, colour: string][] {
  const weak = (full: string) => mixed(p.neutral, full, WEAKEST);
  return [
    [0, p.refute],
    [0.5, weak(p.refute)],
    [0.5, weak(p.support)],
    [1, p.support],
  ];
}

/** The ramp as an image of CSS. */
export const rampCSS = (p: Palette): string =>
  `linear-gradient(90deg,${ramp(p)
    .map(([at, colour]) => `${colour} ${100 * at}%`)
    .join(',')})`;

// Between two colours #rrggbb.
function mixed(a: string, b: string, t: number): string {
  const part = (of: string, at: number) => parseInt(of.slice(at, at + 2), 16);
  return `#${[1, 3, 5]
    .map((at) => Math.round(part(a, at) * (1 - t) + part(b, at) * t))
    .map((v) => v.toString(16).padStart(2, '0'))
    .join('')}`;
}

/** What is known of the instances that are drawn. */
export interface Scores {
  /** Distance of each score from the neutral point, NaN where there is none. */
  of: Float64Array;
  /** +1, −1, or 0 for what is not evidence. */
  signs: Int8Array;
  /** The distance that has the strongest colour. */
  most: number;
  /** Place from the highest score, 0 first; only needed when the top alone is drawn. */
  rank: Int32Array | null;
}

export interface Overlay {
  boxes: readonly Rect[];
  scores: Scores | null;
  /** Whether patches lie over a picture, which is to be seen through them. */
  picture: boolean;
  /** Of the strongest tint, 0 to 1. */
  opacity: number;
  /** Draws so many of the highest scores and darkens the rest; 0 draws all. */
  top: number;
  out: ReadonlySet<number>;
  palette: Palette;
}

/**
 * Share of colour in a patch of the smallest score that is evidence, as in the engine's drawings:
 * its sign is seen.
 */
const WEAKEST = 0.25;
export const tint = (t: number) => WEAKEST + (1 - WEAKEST) * Math.min(1, t);
export const edge = (t: number) => 0.3 + 0.7 * Math.min(1, t);
/** Share of grey in a patch that is not evidence, where a picture lies beneath. */
export const VEIL = 0.3;
/**
 * Shades that strengths are sorted into, so that a hundred thousand patches are a few dozen fills.
 */
const SHADES = 16;
/** Sides on the screen from which patches have an outline, and a mark of their sign. */
const OUTLINED = 7;
const MARKED = 22;

/**
 * Scores with the order that the top is taken from; `most` is the distance of the strongest colour.
 */
export function scoresOf(count: number, read: (instance: number) => Reading, most: number): Scores {
  const of = new Float64Array(count);
  const signs = new Int8Array(count);
  for (let i = 0; i < count; i++) {
    const r = read(i);
    [of[i], signs[i]] = [r.difference, sign(r)];
  }
  const order = Array.from(of.keys()).sort(
    (a, b) =>
      (Number.isNaN(of[b]!) ? -Infinity : of[b]!) - (Number.isNaN(of[a]!) ? -Infinity : of[a]!) ||
      a - b,
  );
  const rank = new Int32Array(count);
  order.forEach((instance, place) => (rank[instance] = place));
  return { of, signs, most, rank };
}

/** Draws patches over what is there. */
export function paint(
  context: CanvasRenderingContext2D,
  view: View,
  frame: { width: number; height: number },
  o: Overlay,
): void {
  const shades = new Map<number, Rect[]>();
  const [gone, faint, all, grey]: Rect[][] = [[], [], [], []];
  const [right, bottom] = [view.x + frame.width / view.scale, view.y + frame.height / view.scale];
  for (let i = 0; i < o.boxes.length; i++) {
    const b = o.boxes[i]!;
    if (b.x > right || b.y > bottom || b.x + b.width < view.x || b.y + b.height < view.y) continue;
    const r = {
      x: (b.x - view.x) * view.scale,
      y: (b.y - view.y) * view.scale,
      width: b.width * view.scale,
      height: b.height * view.scale,
    };
    if (o.out.has(i)) {
      gone!.push(r);
      continue;
    }
    if (!o.scores) {
      all!.push(r);
      continue;
    }
    const score = o.scores.of[i]!;
    if (o.top > 0 && !(o.scores.rank![i]! < o.top)) faint!.push(r);
    else if (o.scores.signs[i] !== 0) {
      const share = Math.min(1, Math.abs(score) / o.scores.most);
      const shade = Math.max(1, Math.round(SHADES * share)) * o.scores.signs[i]!;
      const list = shades.get(shade);
      if (list) list.push(r);
      else shades.set(shade, [r]);
      all!.push(r);
    } else {
      all!.push(r);
      if (!Number.isNaN(score)) grey!.push(r);
    }
  }
  if (faint!.length > 0) fill(context, faint!, '#000', 0.62);
  if (o.scores && o.top === 0 && o.opacity > 0) {
    context.globalCompositeOperation = 'saturation';
    fill(context, all!, '#808080', Math.min(1, o.opacity + 0.3));
    context.globalCompositeOperation = 'source-over';
  }
  if (o.scores && o.top === 0)
    fill(context, grey!, o.palette.noise, o.picture ? VEIL * o.opacity : 1);
  const sized = (o.boxes[0]?.width ?? 0) * view.scale;
  for (const [shade, list] of shades) {
    const colour = shade > 0 ? o.palette.support : o.palette.refute;
    const t = Math.abs(shade) / SHADES;
    if (o.top === 0) fill(context, list, colour, o.opacity * tint(t));
    if (sized >= OUTLINED)
      stroke(context, list, colour, o.top > 0 ? 1 : edge(t), o.top > 0 ? 2 : 1);
    if (sized >= MARKED) mark(context, list, shade > 0, colour, edge(t));
  }
  if (!o.scores && sized >= OUTLINED) stroke(context, all!, o.palette.ink, 0.3, 1);
  if (gone!.length > 0) {
    fill(context, gone!, o.palette.paper, 0.82);
    if (sized >= OUTLINED) strike(context, gone!, o.palette.ink);
  }
}

function fill(
  context: CanvasRenderingContext2D,
  list: readonly Rect[],
  colour: string,
  opacity: number,
): void {
  context.globalAlpha = opacity;
  context.fillStyle = colour;
  context.beginPath();
  for (const r of list) context.rect(r.x, r.y, r.width, r.height);
  context.fill();
  context.globalAlpha = 1;
}

function stroke(
  context: CanvasRenderingContext2D,
  list: readonly Rect[],
  colour: string,
  opacity: number,
  width: number,
): void {
  context.globalAlpha = opacity;
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.beginPath();
  for (const r of list)
    context.rect(r.x + width / 2, r.y + width / 2, r.width - width, r.height - width);
  context.stroke();
  context.globalAlpha = 1;
}

// A plus or a minus in the corner says the sign to those who tell no red from green.
function mark(
  context: CanvasRenderingContext2D,
  list: readonly Rect[],
  plus: boolean,
  colour: string,
  opacity: number,
): void {
  fill(
    context,
    list.map((r) => ({ x: r.x, y: r.y, width: 11, height: 11 })),
    colour,
    opacity,
  );
  context.globalAlpha = opacity;
  context.fillStyle = '#fff';
  for (const r of list) {
    context.fillRect(r.x + 2, r.y + 5, 7, 1.5);
    if (plus) context.fillRect(r.x + 4.75, r.y + 2.25, 1.5, 7);
  }
  context.globalAlpha = 1;
}

function strike(context: CanvasRenderingContext2D, list: readonly Rect[], colour: string): void {
  context.globalAlpha = 0.6;
  context.strokeStyle = colour;
  context.lineWidth = 1;
  context.beginPath();
  for (const r of list) {
    context.rect(r.x + 0.5, r.y + 0.5, r.width - 1, r.height - 1);
    context.moveTo(r.x, r.y + r.height);
    context.lineTo(r.x + r.width, r.y);
  }
  context.stroke();
  context.globalAlpha = 1;
}

/** A frame about one box, or a dashed one about a selection. */
export function outline(
  context: CanvasRenderingContext2D,
  view: View,
  b: Rect,
  palette: Palette,
  dashed = false,
): void {
  const [x, y, w, h] = [
    (b.x - view.x) * view.scale,
    (b.y - view.y) * view.scale,
    b.width * view.scale,
    b.height * view.scale,
  ];
  context.lineWidth = 4;
  context.strokeStyle = palette.paper;
  context.strokeRect(x, y, w, h);
  context.lineWidth = 2;
  context.strokeStyle = palette.accent;
  if (dashed) context.setLineDash([6, 4]);
  context.strokeRect(x, y, w, h);
  context.setLineDash([]);
}

/** A grid before it is cut by: the patches that stay have a frame, the background is veiled. */
export function grid(
  context: CanvasRenderingContext2D,
  view: View,
  frame: { width: number; height: number },
  survey: { size: number; stride: number; across: number; means: Float32Array },
  background: number,
  palette: Palette,
): number {
  const { size, stride, across, means } = survey;
  const [kept, veiled]: Rect[][] = [[], []];
  let count = 0;
  const small = stride * view.scale < 3;
  for (let i = 0; i < means.length; i++) {
    const stays = background <= 0 || means[i]! < background;
    if (stays) count++;
    const r = {
      x: ((i % across) * stride - view.x) * view.scale,
      y: (Math.floor(i / across) * stride - view.y) * view.scale,
      width: size * view.scale,
      height: size * view.scale,
    };
    if (r.x > frame.width || r.y > frame.height || r.x + r.width < 0 || r.y + r.height < 0)
      continue;
    (stays ? kept! : veiled!).push(r);
  }
  fill(context, veiled!, palette.paper, 0.72);
  if (small) fill(context, kept!, palette.accent, 0.25);
  else stroke(context, kept!, palette.accent, 0.9, 1);
  return count;
}
