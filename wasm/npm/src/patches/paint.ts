/**
 * Scores laid over a picture: tints by sign, the strongest alone, what was taken out, what is
 * pointed at.
 */

import { type Reading, sign } from "./evidence.js";
import { greyed, leastDrawn, opacity, patch } from "../colours.js";
import { type Palette, tint } from "./palette.js";
import type { Frame, Rect, View } from "./view.js";

/** What is known of the instances that are drawn. */
export interface Scores {
  /** Distance of each score from the neutral point, NaN where there is none. */
  of: Float64Array;
  /** +1, −1, or 0 for what is not evidence. */
  signs: Int8Array;
  /** The distance that has the strongest colour. */
  most: number;
  /** Place from the highest score, 0 first; sorted when it is first read. */
  readonly rank: Int32Array;
}

export interface Overlay {
  boxes: readonly Rect[];
  scores: Scores | null;
  /** Whether patches lie over a picture, which is to be seen through them. */
  picture: boolean;
  /**
   * Whether the picture lies on another canvas. On the same canvas, patches take the picture's
   * colours away, so that the map's can be told from the stain's.
   */
  apart?: boolean;
  /** Of the strongest tint, 0 to 1. */
  opacity: number;
  /** Draws so many of the highest scores and darkens the rest; 0 draws all. */
  top: number;
  out: ReadonlySet<number>;
  palette: Palette;
}

/**
 * Shades that strengths are sorted into, so that a hundred thousand patches are a few dozen fills.
 */
const SHADES = 16;
/** Side on the screen from which patches have an outline. */
const OUTLINED = 7;

/**
 * Scores with the order that the top is taken from; `most` is the distance of the strongest colour.
 */
export function scoresOf(count: number, read: (instance: number) => Reading, most: number): Scores {
  const of = new Float64Array(count);
  const signs = new Int8Array(count);
  for (let i = 0; i < count; i++) {
    const r = read(i);
    const small = Math.abs(r.difference) < leastDrawn * most;
    [of[i], signs[i]] = [r.difference, small ? 0 : sign(r)];
  }
  let rank: Int32Array | null = null;
  return {
    of,
    signs,
    most,
    get rank() {
      return (rank ??= ranked(of));
    },
  };
}

/** The place of each score from the highest, 0 first; NaN is last. */
function ranked(of: Float64Array): Int32Array {
  const value = (i: number) => (Number.isNaN(of[i]!) ? -Infinity : of[i]!);
  const order = Uint32Array.from(of.keys()).sort((a, b) => value(b) - value(a) || a - b);
  const rank = new Int32Array(of.length);
  order.forEach((instance, place) => (rank[instance] = place));
  return rank;
}

/** A shade of no score: of a patch without one, one that is no evidence, faint, or removed. */
export const [PLAIN, GREY, FAINT, GONE] = [0, 100, 101, 102] as const;

/** What a patch is filled with: a shade of -16 to 16 by its score, or one of the above. */
export function shadeOf(o: Overlay, instance: number): number {
  if (o.out.has(instance)) return GONE;
  if (!o.scores) return PLAIN;
  const score = o.scores.of[instance]!;
  if (o.top > 0 && !(o.scores.rank[instance]! < o.top)) return FAINT;
  const sign = o.scores.signs[instance]!;
  if (sign !== 0) {
    const share = Math.min(1, Math.abs(score) / o.scores.most);
    return Math.max(1, Math.round(SHADES * share)) * sign;
  }
  return Number.isNaN(score) ? PLAIN : GREY;
}

/** Whether a shade is that of a score with a sign. */
const claimed = (shade: number): boolean => shade !== PLAIN && Math.abs(shade) <= SHADES;

/** The fill of a shade; null if nothing is filled. */
export function fillOf(shade: number, o: Overlay): { colour: string; opacity: number } | null {
  if (shade === GONE) return { colour: o.palette.paper, opacity: patch.covered };
  if (shade === FAINT) return { colour: "#000000", opacity: 1 - patch.dimmed };
  if (shade === PLAIN || o.top > 0) return null;
  // A picture stays as it is where nothing is claimed.
  if (shade === GREY) return o.picture ? null : { colour: o.palette.noise, opacity: 1 };
  const colour = shade > 0 ? o.palette.support : o.palette.refute;
  return { colour, opacity: o.opacity * tint(Math.abs(shade) / SHADES) };
}

/**
 * The outline of a patch by its score, and its mark, with a `sign` of another colour, which is as
 * opaque as `strength` says; null for other shades.
 */
export function lineOf(shade: number, o: Overlay) {
  if (!claimed(shade)) return null;
  const share = o.top > 0 ? 1 : Math.abs(shade) / SHADES;
  const from = (weakest: number) => weakest + (1 - weakest) * share;
  const { support, refute, supportMark, refuteMark } = o.palette;
  return {
    plus: shade > 0,
    ...(shade > 0 ? { colour: support, sign: supportMark } : { colour: refute, sign: refuteMark }),
    opacity: from(patch.weakestEdge),
    strength: from(patch.weakestMark),
    width: o.top > 0 ? 2 : 1,
  };
}

/** Draws patches over what is there; `instances` are those that may be in sight, default all. */
export function paint(
  context: CanvasRenderingContext2D,
  view: View,
  frame: Frame,
  o: Overlay,
  instances: Iterable<number> = o.boxes.keys(),
): void {
  const shades = new Map<number, Rect[]>();
  const [right, bottom] = [view.x + frame.width / view.scale, view.y + frame.height / view.scale];
  for (const i of instances) {
    const b = o.boxes[i]!;
    if (b.x > right || b.y > bottom || b.x + b.width < view.x || b.y + b.height < view.y) continue;
    const r = {
      x: (b.x - view.x) * view.scale,
      y: (b.y - view.y) * view.scale,
      width: b.width * view.scale,
      height: b.height * view.scale,
    };
    const shade = shadeOf(o, i);
    const list = shades.get(shade);
    if (list) list.push(r);
    else shades.set(shade, [r]);
  }
  if (o.scores && o.top === 0 && o.opacity > 0 && !o.apart) {
    const coloured = [...shades].filter(([shade]) => claimed(shade)).flatMap(([, list]) => list);
    context.globalCompositeOperation = "saturation";
    fill(context, coloured, "#808080", greyed * Math.min(1, o.opacity / opacity));
    context.globalCompositeOperation = "source-over";
  }
  const sized = (o.boxes[0]?.width ?? 0) * view.scale;
  // What was removed is drawn last, over the others.
  for (const [shade, list] of [...shades].sort(([a], [b]) => order(a) - order(b))) {
    const filled = fillOf(shade, o);
    if (filled) fill(context, list, filled.colour, filled.opacity);
    if (shade === GONE && sized >= OUTLINED) strike(context, list, o.palette.ink);
    if (shade === PLAIN && !o.scores && sized >= OUTLINED)
      stroke(context, list, o.palette.ink, patch.bareEdge, 1);
    const line = lineOf(shade, o);
    if (line && sized >= OUTLINED) stroke(context, list, line.colour, line.opacity, line.width);
    if (line && sized >= patch.cornerPatch) mark(context, list, line, sized);
    else if (line && sized >= patch.striped) stripe(context, list, line);
  }
}

/**
 * The order of drawing: what is faint or grey first, then scores from the weakest, so that patches
 * which overlap hide no stronger one, and what was removed last.
 */
export const order = (shade: number): number =>
  shade === GONE ? SHADES + 1 : Math.abs(shade) <= SHADES ? Math.abs(shade) : -1;

/** Fills rectangles. */
export function fill(
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

/** Outlines rectangles, within their sides. */
export function stroke(
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

type Line = NonNullable<ReturnType<typeof lineOf>>;

// A plus or a minus in the corner says the sign to those who distinguish no hues.
function mark(
  context: CanvasRenderingContext2D,
  list: readonly Rect[],
  { plus, colour, sign, strength }: Line,
  sized: number,
): void {
  const { cornerSide, cornerShare, smallestMarked } = patch;
  const side = Math.min(cornerSide, Math.max(smallestMarked, Math.floor(cornerShare * sized)));
  fill(
    context,
    list.map(({ x, y }) => ({ x, y, width: side, height: side })),
    colour,
    strength,
  );
  const [arm, bar] = [side >= 9 ? 2 : 1, side >= 9 ? 1.5 : 1];
  const [long, middle] = [side - 2 * arm, (side - bar) / 2];
  context.globalAlpha = strength;
  context.fillStyle = sign;
  for (const r of list) {
    context.fillRect(r.x + arm, r.y + middle, long, bar);
    if (plus) context.fillRect(r.x + middle, r.y + arm, bar, long);
  }
  context.globalAlpha = 1;
}

// A patch without room for a mark has a stripe if it refutes.
function stripe(
  context: CanvasRenderingContext2D,
  list: readonly Rect[],
  { plus, sign, strength }: Line,
): void {
  if (plus) return;
  const line = (r: Rect) => ({ ...r, y: r.y + (r.height - 1) / 2, height: 1 });
  fill(context, list.map(line), sign, strength);
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
  context.strokeStyle = palette.ink;
  if (dashed) context.setLineDash([6, 4]);
  context.strokeRect(x, y, w, h);
  context.setLineDash([]);
}
