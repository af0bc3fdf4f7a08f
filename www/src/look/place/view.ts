// Which part of a picture is in sight: zooming, moving and what lies where, in numbers alone.

import type { Frame, Rect, View } from 'bagscope/patches';

export type { Frame, Rect, View };

/** A part of a picture in sight, whatever the size of the window. */
export interface Sight {
  /** Its middle, in shares of the picture's sides. */
  x: number;
  y: number;
  /** How much nearer than all of the picture: at least 1. */
  zoom: number;
}

/** All of a picture. */
export const ALL: Sight = { x: 0.5, y: 0.5, zoom: 1 };

/** The part of a picture in which a box fills a fifth of it, or less where more is in sight now. */
export function sightOf(box: Rect, world: Rect, now: Sight | null): Sight {
  const near = Math.min(world.width / box.width, world.height / box.height) / 5;
  return {
    x: (box.x + box.width / 2 - world.x) / world.width,
    y: (box.y + box.height / 2 - world.y) / world.height,
    zoom: Math.max(near, now?.zoom ?? 1),
  };
}

/** Milliseconds without a move after which the view rests. */
export const REST = 300;

/** A unit of the picture is at most so many screen pixels wide. */
export const CLOSEST = 32;

/** The view in which all of the picture is in sight, in the middle. */
export function fit(world: Rect, frame: Frame): View {
  const scale = Math.min(frame.width / world.width, frame.height / world.height) || 1;
  return middle({ scale, x: 0, y: 0 }, world, frame);
}

/**
 * Keeps the frame inside of the picture, and the picture in the middle of a frame that is larger.
 */
export function middle(view: View, world: Rect, frame: Frame): View {
  const along = (at: number, from: number, side: number, room: number) => {
    const seen = room / view.scale;
    return seen >= side
      ? from - (seen - side) / 2
      : Math.min(Math.max(at, from), from + side - seen);
  };
  return {
    scale: view.scale,
    x: along(view.x, world.x, world.width, frame.width),
    y: along(view.y, world.y, world.height, frame.height),
  };
}

/** Zooms by a factor about a point of the frame, which stays where it is. */
export function zoom(
  view: View,
  factor: number,
  at: { x: number; y: number },
  world: Rect,
  frame: Frame,
): View {
  const least = fit(world, frame).scale;
  const scale = Math.min(Math.max(view.scale * factor, least), Math.max(CLOSEST, least));
  const x = view.x + at.x / view.scale - at.x / scale;
  const y = view.y + at.y / view.scale - at.y / scale;
  return middle({ scale, x, y }, world, frame);
}

/** Moves the frame by screen pixels. */
export function pan(view: View, dx: number, dy: number, world: Rect, frame: Frame): View {
  return middle(
    { ...view, x: view.x + dx / view.scale, y: view.y + dy / view.scale },
    world,
    frame,
  );
}

/** Moves as little as brings a box, with some room about it, into sight. */
export function reveal(view: View, box: Rect, world: Rect, frame: Frame): View {
  const along = (at: number, from: number, side: number, room: number) => {
    const seen = room / view.scale;
    const about = Math.min(side, Math.max(0, (seen - side) / 2));
    return Math.min(
      Math.max(at, from + side + about - seen),
      Math.max(from - about, from + side + about - seen),
    );
  };
  const x = along(view.x, box.x, box.width, frame.width);
  const y = along(view.y, box.y, box.height, frame.height);
  return middle({ ...view, x, y }, world, frame);
}

/**
 * The instance whose box holds a point; of several the one whose middle is nearest. -1 where there
 * is none.
 */
export function instanceAt(boxes: readonly Rect[], x: number, y: number): number {
  let [best, least] = [-1, Infinity];
  for (let i = 0; i < boxes.length; i++) {
    const b = boxes[i]!;
    if (x < b.x || y < b.y || x >= b.x + b.width || y >= b.y + b.height) continue;
    const far = (x - b.x - b.width / 2) ** 2 + (y - b.y - b.height / 2) ** 2;
    if (far < least) [best, least] = [i, far];
  }
  return best;
}

/**
 * The instances whose middle lies inside of a closed line, by the even-odd rule. Where the line
 * crosses a height is computed once for all middles there: a grid of 100,000 has few hundred rows.
 */
export function enclosed(
  boxes: readonly Rect[],
  line: readonly { x: number; y: number }[],
): number[] {
  const rows = new Map<number, number[]>();
  const found: number[] = [];
  boxes.forEach((b, i) => {
    const [x, y] = [b.x + b.width / 2, b.y + b.height / 2];
    let row = rows.get(y);
    if (!row) rows.set(y, (row = crossings(line, y)));
    let inside = false;
    for (const at of row) if (x < at) inside = !inside;
    if (inside) found.push(i);
  });
  return found;
}

/** The places across at which a closed line crosses a height. */
function crossings(line: readonly { x: number; y: number }[], y: number): number[] {
  return line.flatMap((a, p) => {
    const c = line.at(p - 1)!;
    return a.y > y !== c.y > y ? [((c.x - a.x) * (y - a.y)) / (c.y - a.y) + a.x] : [];
  });
}

/** The smallest rectangle about two boxes. */
export function around(a: Rect, b: Rect): Rect {
  const [x, y] = [Math.min(a.x, b.x), Math.min(a.y, b.y)];
  return {
    x,
    y,
    width: Math.max(a.x + a.width, b.x + b.width) - x,
    height: Math.max(a.y + a.height, b.y + b.height) - y,
  };
}

/** The corners of a rectangle as a closed line. */
export const corners = ({ x, y, width, height }: Rect) => [
  { x, y },
  { x: x + width, y },
  { x: x + width, y: y + height },
  { x, y: y + height },
];
