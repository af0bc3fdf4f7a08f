/** Paints what the engine draws. Colours, places and texts of all marks are the engine's. */

import { contextOf } from "./canvas.js";
import { greyed, kinds } from "./colours.js";
import type { Answer } from "./connection.js";
import type { Box } from "./types.js";

/** The size of letters of a monospaced font that are 8 pixels wide, as the engine lays texts out. */
const LETTERS = 8 / 0.6;

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
  let [texts, pixels] = [0, 0];
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
    const cover = (colour: string, alpha: number) => {
      context.globalAlpha = alpha;
      context.fillStyle = colour;
      context.fillRect(x, y, width, height);
      context.globalAlpha = 1;
    };
    const colour = `rgb(${scene.colours.subarray(3 * i, 3 * i + 3).join(" ")})`;
    switch (kind) {
      case "fill":
        cover(colour, opacity);
        break;
      case "pixels": {
        const own = new Uint8ClampedArray(scene.rgba.buffer, from, size);
        context.putImageData(new ImageData(own, width), x, y);
        if (opacity < 1) cover("#000", 1 - opacity);
        break;
      }
      case "grey":
        context.globalCompositeOperation = "saturation";
        cover("#808080", greyed);
        context.globalCompositeOperation = "source-over";
        break;
      case "strike":
        context.strokeStyle = colour;
        context.beginPath();
        context.moveTo(x, width > 3 * height ? y + height / 2 : y + height);
        context.lineTo(x + width, width > 3 * height ? y + height / 2 : y);
        context.stroke();
        break;
      case "text":
        context.fillStyle = colour;
        context.fillText(text, x, y + height / 2, width);
    }
  }
}
