/** Paints what the engine draws. Colours, places and texts of all marks are the engine's. */

import { contextOf } from "./canvas.js";
import { kinds } from "./colours.js";
import type { Answer } from "./connection.js";
import type { Box } from "./types.js";

/** The size of letters of a monospaced font that are 8 pixels wide, as the engine lays texts out. */
const LETTERS = 8 / 0.6;

/** Letters of scripts that are written from right to left. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/**
 * Paints a part of a scene on a canvas, which gets its size. Throws an error of kind "limit" if the
 * browser cannot draw.
 */
export function paintScene(
  scene: Answer<"draw">,
  canvas: HTMLCanvasElement | OffscreenCanvas,
  part: Box,
): void {
  [canvas.width, canvas.height] = [part.width, part.height];
  const context = contextOf(canvas);
  context.font = `${LETTERS * scene.scale}px ui-monospace, monospace`;
  context.textBaseline = "middle";
  context.lineWidth = scene.scale;
  let [texts, pixels, last] = [0, 0, -1];
  for (let i = 0; i < scene.kinds.length; i++) {
    const [x, y] = [scene.places[4 * i]! - part.x, scene.places[4 * i + 1]! - part.y];
    const [width, height] = [scene.places[4 * i + 2]!, scene.places[4 * i + 3]!];
    const kind = kinds[scene.kinds[i]!];
    const text = kind === "text" ? scene.texts[texts++]! : "";
    const from = scene.rgba.byteOffset + pixels;
    const size = kind === "pixels" ? 4 * width * height : 0;
    pixels += size;
    if (x >= part.width || y >= part.height || x + width <= 0 || y + height <= 0) continue;
    const opacity = scene.opacities[i]!;
    context.globalAlpha = kind === "pixels" ? 1 - opacity : opacity;
    const [red, green, blue] = [
      scene.colours[3 * i]!,
      scene.colours[3 * i + 1]!,
      scene.colours[3 * i + 2]!,
    ];
    const colour = (red << 16) | (green << 8) | blue;
    // A browser takes longer to read a colour than to fill a rectangle.
    if (colour !== last) context.fillStyle = `#${(0x1000000 + colour).toString(16).slice(1)}`;
    last = colour;
    switch (kind) {
      case "fill":
        context.fillRect(x, y, width, height);
        break;
      case "pixels": {
        const own = new Uint8ClampedArray(scene.rgba.buffer, from, size);
        context.putImageData(new ImageData(own, width), x, y);
        if (opacity < 1) context.fillRect(x, y, width, height);
        break;
      }
      case "grey":
        context.globalCompositeOperation = "saturation";
        context.fillRect(x, y, width, height);
        context.globalCompositeOperation = "source-over";
        break;
      case "strike":
        context.strokeStyle = context.fillStyle;
        context.beginPath();
        context.moveTo(x, width > 3 * height ? y + height / 2 : y + height);
        context.lineTo(x + width, width > 3 * height ? y + height / 2 : y);
        context.stroke();
        break;
      case "text": {
        // A page's direction does not change where signs and brackets of a text stand.
        const left = !RIGHT_TO_LEFT.test(text);
        context.direction = left ? "ltr" : "rtl";
        context.textAlign = left ? "left" : "right";
        context.fillText(text, left ? x : x + width, y + height / 2, width);
      }
    }
  }
}
