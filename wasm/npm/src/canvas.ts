import { BagscopeError } from "./error.js";

type Canvas = HTMLCanvasElement | OffscreenCanvas;
type OffscreenContext = OffscreenCanvasRenderingContext2D;

/**
 * Returns the context to draw on a canvas. Throws an error of kind "limit" if the browser has none:
 * its memory or its number of canvases is exhausted, or it forbids them.
 */
export function contextOf(canvas: HTMLCanvasElement): CanvasRenderingContext2D;
export function contextOf(canvas: Canvas): CanvasRenderingContext2D | OffscreenContext;
export function contextOf(canvas: Canvas): CanvasRenderingContext2D | OffscreenContext {
  const context = canvas.getContext("2d") as CanvasRenderingContext2D | OffscreenContext | null;
  if (context) return context;
  throw new BagscopeError(
    "limit",
    `the browser does not draw on a canvas of ${canvas.width} × ${canvas.height} pixels: its ` +
      "memory is exhausted, or a setting forbids it. Close other tabs or allow canvases for this " +
      "page, then reload it",
  );
}
