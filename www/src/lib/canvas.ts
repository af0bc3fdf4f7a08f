// Drawing on canvases, which browsers may refuse.
import { read as words } from '../strings';

/** The browser refuses to draw on a canvas. */
export class CanvasError extends Error {
  readonly kind = 'canvas';
}

/**
 * Returns the context to draw on a canvas. Throws a CanvasError if the browser has none: its memory
 * or its number of canvases is exhausted, or it forbids them.
 */
export function contextOf(
  canvas: HTMLCanvasElement,
  settings?: CanvasRenderingContext2DSettings,
): CanvasRenderingContext2D;
export function contextOf(
  canvas: OffscreenCanvas,
  settings?: CanvasRenderingContext2DSettings,
): OffscreenCanvasRenderingContext2D;
export function contextOf(
  canvas: HTMLCanvasElement | OffscreenCanvas,
  settings?: CanvasRenderingContext2DSettings,
): CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D {
  // A cast, because older browsers have no class OffscreenCanvas to compare with.
  const context = (canvas as HTMLCanvasElement).getContext('2d', settings);
  if (!context) throw new CanvasError(words.canvas(canvas.width, canvas.height));
  return context;
}
