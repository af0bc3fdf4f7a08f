// The explanation as an SVG file: every patch or cell a shape of its own, with its score in words.
import type { Cell } from 'bagscope';
import type { Legend } from '../state/evidence';
import { sentences } from '../map/legend';
import { fillOf, lineOf, shadeOf, type Overlay } from 'bagscope/patches';
import type { Rect } from '../place/view';
import { escaped } from './escape';
import { legendSVG } from './legend';

const n = (x: number) => String(Math.round(x * 100) / 100);

/** What a shape says when it is pointed at. */
type Say = (instance: number, cls: number | null) => string;

// A plus or a minus in the corner of a shape, as in the picture on the page, for readers who
// distinguish no hues.
function mark(b: Rect, line: NonNullable<ReturnType<typeof lineOf>>): string {
  const s = 0.3 * Math.min(b.width, b.height);
  const [x, y, m] = [b.x, b.y, s / 2];
  const across = `M${n(x + 0.2 * s)} ${n(y + m)}h${n(0.6 * s)}`;
  const down = line.plus ? `M${n(x + m)} ${n(y + 0.2 * s)}v${n(0.6 * s)}` : '';
  const square = `<path d="M${n(x)} ${n(y)}h${n(s)}v${n(s)}h${n(-s)}z" fill="${line.colour}"/>`;
  const width = n(0.14 * s);
  const sign = `<path d="${across}${down}" stroke="${line.sign}" stroke-width="${width}"/>`;
  return `<g opacity="${n(line.strength)}" pointer-events="none">${square}${sign}</g>`;
}

/** A picture with tinted patches over it, in the units of the boxes, and the legend below. */
export function placeSVG(
  world: Rect,
  image: string | null,
  overlay: Overlay,
  title: string,
  legend: Legend | null,
  say: (instance: number) => string,
): string {
  const shapes = overlay.boxes.map((b, i) => {
    const at = `x="${n(b.x)}" y="${n(b.y)}" width="${n(b.width)}" height="${n(b.height)}"`;
    const shade = shadeOf(overlay, i);
    const { colour, opacity } = fillOf(shade, overlay) ?? { colour: '#000', opacity: 0 };
    const line = lineOf(shade, overlay);
    // The outline keeps its width in pixels when the picture is scaled.
    const stroke = line
      ? ` stroke="${line.colour}" stroke-opacity="${n(line.opacity)}"` +
        ` stroke-width="${line.width}" vector-effect="non-scaling-stroke"`
      : '';
    const corner = line ? mark(b, line) : '';
    const words = `<title>${escaped(say(i))}</title>`;
    return `<rect ${at} fill="${colour}" fill-opacity="${n(opacity)}"${stroke}>${words}</rect>${corner}`;
  });
  const { x, y, width, height } = world;
  const place = `x="${n(x)}" y="${n(y)}" width="${n(width)}" height="${n(height)}"`;
  const picture = image ? `<image href="${image}" ${place} preserveAspectRatio="none"/>` : '';
  const below = legend && legendSVG(legend, { x, y: y + height, width }, overlay.palette);
  const body = [picture, ...shapes, below?.body ?? ''].join('\n');
  return file({ x, y, width, height: height + (below?.height ?? 0) }, title, legend, body);
}

/** A drawing in rows or bars: the cells of the classes over the engine's picture, names as text. */
export function drawingSVG(
  size: { width: number; height: number },
  image: string,
  cells: readonly Cell[],
  title: string,
  legend: Legend | null,
  say: Say,
): string {
  // Transparent shapes over the picture, because only shapes show their title to a pointer.
  const shapes = cells.map((c) => {
    const at = `x="${n(c.x)}" y="${n(c.y)}" width="${n(c.width)}" height="${n(c.height)}"`;
    const about = `<title>${escaped(say(c.instance, c.class))}</title>`;
    return `<rect ${at} fill-opacity="0">${about}</rect>`;
  });
  return file(
    { x: 0, y: 0, width: size.width, height: size.height },
    title,
    legend,
    `<image href="${image}" width="${size.width}" height="${size.height}"/>\n${shapes.join('\n')}`,
  );
}

/**
 * A whole SVG file. The longer side is at most 1600 pixels, and the view box keeps the units of the
 * body, such as pixels of the slide.
 */
function file(
  { x, y, width, height }: Rect,
  title: string,
  legend: Legend | null,
  body: string,
): string {
  const most = Math.min(1600, Math.max(width, height));
  const scale = most / Math.max(width, height);
  const size = `width="${n(width * scale)}" height="${n(height * scale)}"`;
  const view = `viewBox="${n(x)} ${n(y)} ${n(width)} ${n(height)}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} ${view} role="img">
<title>${escaped(title)}</title>
${legend ? `<desc>${escaped(sentences(legend).join('. '))}</desc>\n` : ''}${body}
</svg>
`;
}
