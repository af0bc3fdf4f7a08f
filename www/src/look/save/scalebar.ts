// The scale bar of a picture in its file, in the lower left corner.
import { scaleBar } from 'bagscope/openseadragon';
import type { Palette } from 'bagscope/patches';
import { letters } from './legend';

/** The longest bar, as part of the picture's width. */
const PART = 0.2;

/** Draws a bar for pixels of so many microns; none if they are unknown. */
export function drawScaleBar(
  context: OffscreenCanvasRenderingContext2D,
  microns: number,
  width: number,
  height: number,
  palette: Palette,
): void {
  const bar = scaleBar(microns, PART * width);
  if (!bar) return;
  const size = letters(width);
  const [gap, thick] = [size / 2, Math.max(2, size / 6)];
  context.font = `${size}px system-ui, sans-serif`;
  const wide = Math.max(bar.width, context.measureText(bar.text).width);
  const [left, top] = [gap, height - gap - (1.3 * size + thick + 2 * gap)];
  context.globalAlpha = 0.86;
  context.fillStyle = palette.paper;
  context.fillRect(left, top, wide + 2 * gap, height - gap - top);
  context.globalAlpha = 1;
  context.fillStyle = palette.ink;
  context.textAlign = 'left';
  context.textBaseline = 'top';
  context.fillText(bar.text, left + gap, top + gap);
  context.fillRect(left + gap, top + gap + 1.3 * size, bar.width, thick);
}
