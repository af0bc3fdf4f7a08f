// A grid over a picture, drawn before the picture is cut by it.
import type { PictureCut } from 'bagscope';
import { fill, stroke, type Palette, type Rect, type View } from 'bagscope/patches';

/** Whether patch i of a grid is darker than the background; 0 keeps all. The rule is the engine's. */
export const stays = ({ means }: Pick<PictureCut, 'means'>, background: number, i: number) =>
  background <= 0 || means[i]! < background;

/** A grid before it is cut by: the patches that stay have a frame, the background is veiled. */
export function grid(
  context: CanvasRenderingContext2D,
  view: View,
  frame: { width: number; height: number },
  survey: PictureCut,
  background: number,
  palette: Palette,
): number {
  const { size, stride, across, down } = survey;
  const [framed, veiled]: Rect[][] = [[], []];
  let count = 0;
  const small = stride * view.scale < 3;
  for (let i = 0; i < across * down; i++) {
    const kept = stays(survey, background, i);
    if (kept) count++;
    const r = {
      x: ((i % across) * stride - view.x) * view.scale,
      y: (Math.floor(i / across) * stride - view.y) * view.scale,
      width: size * view.scale,
      height: size * view.scale,
    };
    if (r.x > frame.width || r.y > frame.height || r.x + r.width < 0 || r.y + r.height < 0)
      continue;
    (kept ? framed! : veiled!).push(r);
  }
  fill(context, veiled!, palette.paper, 0.72);
  if (small) fill(context, framed!, palette.accent, 0.25);
  else stroke(context, framed!, palette.accent, 0.9, 1);
  return count;
}
