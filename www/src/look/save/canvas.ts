// Pictures for files: the drawing with its names as text, or the whole picture with the scores laid
// over it.
import type { Picture } from 'bagscope';
import { contextOf } from '../../lib/canvas';
import type { Legend } from '../state/evidence';
import { MOST_PIXELS } from '../read/limits';
import { paint, type Overlay, type Palette } from 'bagscope/patches';
import type { Place } from '../place/place';
import { drawLegend, height as legendHeight, letters } from './legend';
import { drawScaleBar } from './scalebar';

const FONT = 'system-ui, sans-serif';
/** Side of the parts that a large picture is put together from: none of them holds the page up. */
const PART = 2048;
/** The longer side of a map that has no picture. */
const MAP = 2048;

/** What stands above a drawing. */
export interface Heading {
  title: string;
  detail: string;
}

/**
 * The engine's drawing with heading, names and legend in the page's own letters. `scale` is that of
 * the drawing.
 */
export function drawing(
  picture: Picture,
  scale: number,
  heading: Heading,
  name: (c: number) => string,
  legend: Legend | null,
  colours: Palette,
): OffscreenCanvas {
  const top = 50 * scale;
  const canvas = new OffscreenCanvas(picture.width, picture.height + top);
  const context = contextOf(canvas);
  const bottom = canvas.height;
  if (legend) canvas.height += legendHeight(legend, context, canvas.width, 12 * scale);
  context.fillStyle = colours.paper;
  context.fillRect(0, 0, canvas.width, canvas.height);
  const body = new OffscreenCanvas(1, 1);
  picture.paint(body);
  context.drawImage(body, 0, top);
  context.fillStyle = colours.ink;
  context.textBaseline = 'middle';
  context.font = `600 ${15 * scale}px ${FONT}`;
  context.fillText(heading.title, 16 * scale, 20 * scale);
  const wide = context.measureText(heading.title).width;
  context.font = `${12 * scale}px ${FONT}`;
  context.fillText(
    heading.detail,
    28 * scale + wide,
    20 * scale,
    Math.max(1, picture.width - wide - 44 * scale),
  );
  for (const { class: c, above, x, y, width, height } of picture.names) {
    context.textAlign = above ? 'center' : 'left';
    context.fillText(name(c), above ? x + width / 2 : x, top + y + height / 2, width);
  }
  if (legend) drawLegend(legend, context, bottom, canvas.width, 12 * scale, colours);
  return canvas;
}

/** How large the picture of a place is as a file: as large as it is, or of a map `MAP` pixels. */
export function fullSize(place: Place): { width: number; height: number; ratio: number } {
  const { world, tiles } = place;
  const ratio = tiles
    ? tiles.picture.width / world.width
    : MAP / Math.max(world.width, world.height);
  return {
    width: Math.max(1, Math.round(world.width * ratio)),
    height: Math.max(1, Math.round(world.height * ratio)),
    ratio,
  };
}

/**
 * The picture with its scores and a scale bar, at most so many pixels along its longer side, and the
 * legend below it.
 */
export async function overlaid(
  place: Place,
  overlay: Overlay,
  legend: Legend | null,
  longest = Infinity,
): Promise<OffscreenCanvas> {
  const full = fullSize(place);
  const shrink = Math.min(1, longest / Math.max(full.width, full.height));
  const [width, height] = [
    Math.max(1, Math.round(full.width * shrink)),
    Math.max(1, Math.round(full.height * shrink)),
  ];
  if (width * height > MOST_PIXELS) throw new RangeError('too large');
  const canvas = new OffscreenCanvas(width, height);
  const context = contextOf(canvas);
  const size = letters(width);
  if (legend) {
    canvas.height += legendHeight(legend, context, width, size);
    context.fillStyle = overlay.palette.paper;
    context.fillRect(0, height, width, canvas.height - height);
  }
  context.fillStyle = overlay.palette.neutral;
  context.fillRect(0, 0, width, height);
  if (place.tiles) {
    for (let y = 0; y < height; y += PART) {
      for (let x = 0; x < width; x += PART) {
        const [w, h] = [Math.min(PART, width - x), Math.min(PART, height - y)];
        const part = await place.tiles.part(x / shrink, y / shrink, w / shrink, h / shrink, w, h);
        context.drawImage(part, x, y);
        part.close();
      }
    }
  }
  const view = { scale: full.ratio * shrink, x: place.world.x, y: place.world.y };
  context.save();
  context.beginPath();
  context.rect(0, 0, width, height);
  context.clip();
  paint(context as unknown as CanvasRenderingContext2D, view, { width, height }, overlay);
  context.restore();
  if (overlay.scores)
    drawScaleBar(context, place.microns / view.scale, width, height, overlay.palette);
  if (legend) drawLegend(legend, context, height, width, size, overlay.palette);
  return canvas;
}

/** The bytes of a canvas as a PNG file. */
export async function png(canvas: OffscreenCanvas): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await (await canvas.convertToBlob({ type: 'image/png' })).arrayBuffer());
}

/** A canvas as an address that holds it. */
export async function dataURL(canvas: OffscreenCanvas, type = 'image/png'): Promise<string> {
  const bytes = new Uint8Array(
    await (await canvas.convertToBlob({ type, quality: 0.9 })).arrayBuffer(),
  );
  let text = '';
  for (let i = 0; i < bytes.length; i += 0x8000)
    text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return `data:${type};base64,${btoa(text)}`;
}
