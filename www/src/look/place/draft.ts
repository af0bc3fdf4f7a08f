// A grid over a picture, drawn before the picture is cut by it.
import { fill, stroke, type Palette, type Rect, type View } from 'bagscope/patches';

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
