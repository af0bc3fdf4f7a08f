// The legend of a picture in its file: below a drawing as pixels, below a slide as SVG.
import type { Legend } from '../state/evidence';
import { ramp, type Palette } from 'bagscope/patches';
import { escaped } from './escape';

const FONT = 'system-ui, sans-serif';
/** Width of the ramp, height of a line and width of the margin, in units of the letters' size. */
const RAMP = 8;
const LINE = 1.5;
const MARGIN = 1;

/** The letters' size for a file that is so wide. */
export const letters = (width: number): number => Math.min(64, Math.max(11, width / 68));

interface Measure {
  (text: string): number;
}

/** Texts in lines that are no wider than `room`; a word that is wider has a line of its own. */
export function wrapped(texts: readonly string[], room: number, measure: Measure): string[] {
  const lines: string[] = [];
  for (const text of texts) {
    let line = '';
    for (const word of text.split(' ')) {
      const longer = line ? `${line} ${word}` : word;
      if (line && measure(longer) > room) {
        lines.push(line);
        line = word;
      } else line = longer;
    }
    lines.push(line);
  }
  return lines;
}

const texts = (l: Legend): string[] => [l.lines.join('; '), ...(l.grey ? [l.grey] : [])];

/** How high the legend is in a canvas of this width with letters of this size. */
export function height(
  l: Legend,
  context: OffscreenCanvasRenderingContext2D,
  width: number,
  size: number,
): number {
  context.font = `${size}px ${FONT}`;
  const lines = wrapped(texts(l), width - 2 * MARGIN * size, (t) => context.measureText(t).width);
  return Math.ceil((lines.length + (l.ends ? 1 : 0)) * LINE * size + 2 * MARGIN * size);
}

/** Draws the legend from `top` on. */
export function drawLegend(
  l: Legend,
  context: OffscreenCanvasRenderingContext2D,
  top: number,
  width: number,
  size: number,
  palette: Palette,
): void {
  context.font = `${size}px ${FONT}`;
  context.textAlign = 'left';
  context.textBaseline = 'middle';
  const left = MARGIN * size;
  let y = top + (MARGIN + LINE / 2) * size;
  if (l.ends) {
    const [low, high] = l.ends;
    const from = left + context.measureText(low).width + size / 2;
    const gradient = context.createLinearGradient(from, 0, from + RAMP * size, 0);
    for (const [at, colour] of ramp(palette)) gradient.addColorStop(at, colour);
    context.fillStyle = palette.ink;
    context.fillText(low, left, y);
    context.fillText(high, from + (RAMP + 0.5) * size, y);
    context.fillStyle = gradient;
    context.fillRect(from, y - size / 2, RAMP * size, size);
    y += LINE * size;
  }
  context.fillStyle = palette.ink;
  for (const line of wrapped(texts(l), width - 2 * left, (t) => context.measureText(t).width)) {
    context.fillText(line, left, y);
    y += LINE * size;
  }
}

/** The legend below a picture in SVG, and how much higher that makes it. */
export function legendSVG(
  l: Legend,
  at: { x: number; y: number; width: number },
  palette: Palette,
): { body: string; height: number } {
  const size = at.width / 50;
  // Fonts differ between readers: letters are taken to be wide.
  const lines = wrapped(texts(l), at.width - 2 * MARGIN * size, (t) => 0.58 * size * t.length);
  const left = at.x + MARGIN * size;
  let y = at.y + (MARGIN + LINE / 2) * size;
  const text = (words: string, x: number) =>
    `<text x="${x.toFixed(2)}" y="${(y + 0.35 * size).toFixed(2)}">${escaped(words)}</text>`;
  const parts: string[] = [];
  if (l.ends) {
    const from = left + 0.62 * size * l.ends[0].length + size / 2;
    parts.push(text(l.ends[0], left), text(l.ends[1], from + (RAMP + 0.5) * size));
    const stops = ramp(palette).map(([at, c]) => `<stop offset="${at}" stop-color="${c}"/>`);
    const [x, top, width, height] = [from, y - size / 2, RAMP * size, size].map((v) =>
      v.toFixed(2),
    );
    parts.push(
      `<linearGradient id="ramp">${stops.join('')}</linearGradient>`,
      `<path d="M${x} ${top}h${width}v${height}h-${width}z" fill="url(#ramp)"/>`,
    );
    y += LINE * size;
  }
  for (const line of lines) {
    parts.push(text(line, left));
    y += LINE * size;
  }
  const tall = (lines.length + (l.ends ? 1 : 0)) * LINE * size + 2 * MARGIN * size;
  const outline = `M${at.x} ${at.y}h${at.width}v${tall.toFixed(2)}h${-at.width}z`;
  const ground = `<path d="${outline}" fill="${palette.paper}"/>`;
  const font = `font-family="${FONT}" font-size="${size.toFixed(2)}"`;
  return {
    body: `<g ${font} fill="${palette.ink}">${ground}${parts.join('')}</g>`,
    height: tall,
  };
}
