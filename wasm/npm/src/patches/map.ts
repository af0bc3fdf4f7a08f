/**
 * A map of many patches. Few in sight are drawn one by one, with outlines and signs. Of more, a
 * picture with one pixel for each patch is drawn, which takes as long for any number of them.
 */

import { contextOf } from "../canvas.js";
import { Lattice } from "./lattice.js";
import { fillOf, order, type Overlay, paint, shadeOf } from "./paint.js";
import type { Frame, Rect, View } from "./view.js";

/** Cells in sight from which on the picture is drawn: 4,000 patches take 5 ms one by one. */
const DETAILED = 4000;

export class PatchMap {
  readonly lattice: Lattice;
  /** The picture of the patches, and what it shows. */
  private picture: HTMLCanvasElement | null = null;
  private shown: Overlay | null = null;
  private smooth = false;

  constructor(boxes: readonly Rect[]) {
    this.lattice = new Lattice(boxes);
  }

  /**
   * Draws the patches in sight over what is there. The picture is made again for another `o`: pass
   * the same object while nothing changes. `smooth` shades from patch to patch.
   */
  draw(
    context: CanvasRenderingContext2D,
    view: View,
    frame: Frame,
    o: Overlay,
    smooth = false,
  ): void {
    if (this.lattice.boxes.length === 0) return;
    if (this.detailed(view, frame, smooth)) return this.drawEach(context, view, frame, o);
    const { x, y, step } = this.place(smooth);
    const picture = this.pictureOf(o, smooth);
    const scale = step * view.scale; // side of one of its pixels on the screen
    context.imageSmoothingEnabled = smooth || scale < 1;
    context.drawImage(
      picture,
      (x - view.x) * view.scale,
      (y - view.y) * view.scale,
      picture.width * scale,
      picture.height * scale,
    );
  }

  /** Whether the patches in sight are few, so that they are drawn one by one. */
  detailed(view: View, frame: Frame, smooth: boolean): boolean {
    return !smooth && this.lattice.cellsIn(view, frame) <= DETAILED;
  }

  /** Draws the patches in sight one by one, with outlines and signs. */
  drawEach(context: CanvasRenderingContext2D, view: View, frame: Frame, o: Overlay): void {
    paint(context, view, frame, o, this.lattice.instancesIn(view, frame));
  }

  /**
   * Returns the picture with one pixel for each cell, rendered again for another `o`. A patch fills
   * the cells that it covers, and a single one if the picture is drawn smooth. Throws a
   * BagscopeError of kind "limit" if the browser cannot draw it.
   */
  pictureOf(o: Overlay, smooth = false): HTMLCanvasElement {
    if (this.shown !== o || this.smooth !== smooth) this.render(o, smooth);
    return this.picture!;
  }

  /** The upper left corner of the picture, and the side of its pixels, in the units of the boxes. */
  place(smooth: boolean): { x: number; y: number; step: number } {
    const { x, y, step, side } = this.lattice;
    // The only pixel of a patch, which overlaps others or leaves gaps, lies around its middle.
    const shift = smooth ? (side - step) / 2 : 0;
    return { x: x + shift, y: y + shift, step };
  }

  /** Renders one pixel for each cell; of several patches in a cell the strongest. */
  private render(o: Overlay, smooth: boolean): void {
    const { lattice } = this;
    const cells = (side: number) => (smooth ? 1 : Math.max(1, Math.round(side / lattice.step)));
    const beyond = cells(lattice.side) - 1; // of the last corner
    const image = new ImageData(lattice.columns + beyond, lattice.rows + beyond);
    const words = new Uint32Array(image.data.buffer);
    const strongest = new Int16Array(words.length).fill(-2); // below all
    const colours = new Map<number, number>();
    for (let i = 0; i < lattice.boxes.length; i++) {
      const shade = shadeOf(o, i);
      let colour = colours.get(shade);
      if (colour === undefined) colours.set(shade, (colour = wordOf(fillOf(shade, o))));
      const corner = lattice.cellOf(i);
      const [row, column] = [Math.floor(corner / lattice.columns), corner % lattice.columns];
      const { width, height } = lattice.boxes[i]!;
      for (let down = cells(height) - 1; down >= 0; down--)
        for (let across = cells(width) - 1; across >= 0; across--) {
          const cell = (row + down) * image.width + column + across;
          if (order(shade) <= strongest[cell]!) continue;
          strongest[cell] = order(shade);
          words[cell] = colour;
        }
    }
    this.picture ??= document.createElement("canvas");
    [this.picture.width, this.picture.height] = [image.width, image.height];
    contextOf(this.picture).putImageData(image, 0, 0);
    [this.shown, this.smooth] = [o, smooth];
  }

  /** Frees the picture. */
  close(): void {
    if (this.picture) this.picture.width = this.picture.height = 0;
    [this.picture, this.shown] = [null, null];
  }
}

/** A fill as the four bytes of a pixel, in the order of little-endian processors. */
function wordOf(fill: ReturnType<typeof fillOf>): number {
  if (!fill) return 0;
  const part = (at: number) => parseInt(fill.colour.slice(at, at + 2), 16);
  const bytes = Uint8Array.of(part(1), part(3), part(5), Math.round(255 * fill.opacity));
  return new Uint32Array(bytes.buffer)[0]!;
}
