// The patches whose numbers are written on them: of those with a colour, what is in sight and large.
import type { Box } from 'bagscope';

/** The smallest side on the screen, in pixels, of a patch that has room for its number. */
export const ROOM = 30;
/** The most numbers: more of them hide the picture. */
export const MOST = 400;

/**
 * Which of some patches have room for their numbers in a frame, of boxes that lie on the screen at
 * `scale` pixels for one of theirs, from a corner. None if more than MOST have room.
 */
export function numbered(
  boxes: readonly Box[],
  some: readonly number[],
  at: { scale: number; x: number; y: number },
  frame: { width: number; height: number },
): number[] {
  const found: number[] = [];
  const within = (from: number, side: number, end: number) => from < end && from + side > 0;
  for (const i of some) {
    const { x, y, width, height } = boxes[i]!;
    const [w, h] = [width * at.scale, height * at.scale];
    const seen =
      Math.min(w, h) >= ROOM &&
      within(x * at.scale + at.x, w, frame.width) &&
      within(y * at.scale + at.y, h, frame.height);
    if (seen && found.push(i) > MOST) return [];
  }
  return found;
}
