// Groups of instances in a row, and arcs over it between those that act together.
import type { Joint } from '../../lib/pairs';

/** The space between two groups, in widths of an instance. */
export const GAP = 0.6;
/** The height of the arcs' drawing. The row is below it. */
export const HEIGHT = 100;
/** How high an arc within a group rises. Arcs between groups begin there. */
const WITHIN = 30;
/** The room above the highest arc. */
const ROOM = 8;

export interface Arc {
  joint: Joint;
  d: string;
}

/** How wide the row is, in widths of an instance. */
export const rowWidth = (groups: readonly (readonly number[])[]) =>
  groups.flat().length + GAP * Math.max(groups.length - 1, 0);

/** An arc for each joint, in a box of `rowWidth` by `HEIGHT`. */
export function arcs(groups: readonly (readonly number[])[], joints: readonly Joint[]): Arc[] {
  const spans = new Map<number, { from: number; to: number }>();
  let x = 0;
  for (const group of groups) {
    spans.set(group[0]!, { from: x + 0.5, to: x + group.length - 0.5 });
    x += group.length + GAP;
  }
  const bridged = new Set(joints.flatMap(({ a, b }) => (a[0] === b[0] ? [a[0]!] : [])));
  const width = rowWidth(groups);
  return joints.map((joint) => {
    const [a, b] = [spans.get(joint.a[0]!)!, spans.get(joint.b[0]!)!];
    if (a === b) return { joint, d: curve(a.from, HEIGHT, a.to, HEIGHT, HEIGHT - WITHIN) };
    const [from, to] = [(a.from + a.to) / 2, (b.from + b.to) / 2];
    const foot = (group: readonly number[]) => HEIGHT - (bridged.has(group[0]!) ? WITHIN : 0);
    const lower = Math.min(foot(joint.a), foot(joint.b));
    // A wider arc is higher, so that arcs of neighbours stay apart.
    const top = lower - (lower - ROOM) * (0.45 + (0.55 * Math.abs(to - from)) / width);
    return { joint, d: curve(from, foot(joint.a), to, foot(joint.b), top) };
  });
}

/** A curve between two points whose middle is at the height `top`. */
function curve(x1: number, y1: number, x2: number, y2: number, top: number): string {
  const bend = 2 * top - (y1 + y2) / 2;
  const [from, to] = [`${short(x1)} ${short(y1)}`, `${short(x2)} ${short(y2)}`];
  return `M${from}Q${short((x1 + x2) / 2)} ${short(bend)} ${to}`;
}

const short = (x: number) => Number(x.toFixed(2));
