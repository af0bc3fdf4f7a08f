// What will become the bag, over the slide: the tissue mask, and which patches are encoded.
import type { SlideGrid, TissueMask } from 'bagscope';
import { Lattice } from 'bagscope/patches';
import type { Viewer } from 'openseadragon';
import { contextOf } from '../../lib/canvas';

export interface Tiled {
  /** What is not tissue is veiled; null veils nothing. */
  readonly mask: TissueMask | null;
  readonly grid: SlideGrid | null;
  /** Patches that are filled, by their numbers. */
  readonly filled: readonly number[];
  readonly dark: boolean;
}

/** Sides of patches on the screen from which on they have outlines. */
const OUTLINED = 9;

export class Layer {
  private readonly canvas = document.createElement('canvas');
  private veil: HTMLCanvasElement | null = null;
  /** The grid, sorted so that patches in sight are found without looking at all. */
  private lattice: Lattice | null = null;
  private cells: HTMLCanvasElement | null = null;
  private shown: Tiled = { mask: null, grid: null, filled: [], dark: false };
  private asked = 0;

  /** `attempt` runs a drawing, and handles what it throws if the browser refuses. */
  constructor(
    private readonly viewer: Viewer,
    private readonly attempt: (draw: () => void) => void,
  ) {
    Object.assign(this.canvas.style, {
      ...{ position: 'absolute', inset: '0', width: '100%', height: '100%' },
      pointerEvents: 'none',
    });
    this.canvas.dataset.tiled = '';
    viewer.canvas.append(this.canvas);
    viewer.addHandler('update-viewport', this.draw);
    viewer.addHandler('resize', this.later);
  }

  show(next: Tiled): void {
    const { mask, dark, grid, filled } = this.shown;
    this.shown = next;
    this.attempt(() => {
      if (next.mask !== mask || next.dark !== dark)
        this.veil = next.mask && veilOf(next.mask, next.dark);
      if (next.grid !== grid) this.lattice = next.grid && latticeOf(next.grid);
      if (next.grid !== grid || next.filled !== filled)
        this.cells = this.lattice && cellsOf(this.lattice, next.filled);
    });
    this.canvas.dataset.filled = String(next.filled.length);
    // An empty canvas costs the browser as much as a full one.
    this.canvas.style.display = next.mask || next.grid ? '' : 'none';
    this.later();
  }

  destroy(): void {
    cancelAnimationFrame(this.asked);
    this.viewer.removeHandler('update-viewport', this.draw);
    this.viewer.removeHandler('resize', this.later);
    this.canvas.remove();
  }

  private readonly later = (): void => {
    cancelAnimationFrame(this.asked);
    this.asked = requestAnimationFrame(this.draw);
  };

  private readonly draw = (): void => {
    cancelAnimationFrame(this.asked);
    this.attempt(() => this.paint());
  };

  private paint(): void {
    const { viewer, canvas } = this;
    if (canvas.style.display === 'none') return;
    const at = viewOf(viewer);
    const { clientWidth: wide, clientHeight: high } = canvas;
    const density = devicePixelRatio || 1;
    const [w, h] = [Math.round(wide * density), Math.round(high * density)];
    if (canvas.width !== w || canvas.height !== h) [canvas.width, canvas.height] = [w, h];
    const context = contextOf(canvas);
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, w, h);
    if (!at) return;
    const s = at.scale * density;
    context.setTransform(s, 0, 0, s, at.x * density, at.y * density);
    const { mask } = this.shown;
    if (mask && this.veil)
      context.drawImage(this.veil, 0, 0, mask.width * mask.scale, mask.height * mask.scale);
    const { lattice, cells } = this;
    if (!lattice || !cells) return;
    context.imageSmoothingEnabled = false;
    const { step, side, columns, rows, boxes } = lattice;
    context.drawImage(cells, lattice.x, lattice.y, columns * step, rows * step);
    if (side * at.scale < OUTLINED) return;
    context.lineWidth = 1 / s;
    context.strokeStyle = this.shown.dark ? '#9ecbffb0' : '#0b5cadb0';
    context.beginPath();
    const view = { scale: at.scale, x: -at.x / at.scale, y: -at.y / at.scale };
    for (const i of lattice.instancesIn(view, { width: wide, height: high })) {
      const { x, y } = boxes[i]!;
      context.rect(x, y, side, side);
    }
    context.stroke();
  }
}

/** Where the slide lies in a viewer: pixels of the screen for one of level 0, and its corner. */
export function viewOf(viewer: Viewer): { scale: number; x: number; y: number } | null {
  const item = viewer.world?.getItemCount() ? viewer.world.getItemAt(0) : null;
  if (!item) return null;
  const corner = viewer.viewport.pixelFromPoint(item.imageToViewportCoordinates(0, 0), true);
  const scale = item.viewportToImageZoom(viewer.viewport.getZoom(true));
  return { scale, x: corner.x, y: corner.y };
}

function veilOf({ width, height, mask }: TissueMask, dark: boolean): HTMLCanvasElement {
  const pixels = new ImageData(width, height);
  const words = new Uint32Array(pixels.data.buffer);
  const glass = dark ? 0xc0201810 : 0xb0e8e0d8; // alpha, blue, green, red
  for (let i = 0; i < words.length; i++) words[i] = mask[i] ? 0 : glass;
  return drawn(pixels);
}

function latticeOf({ x, y, side }: SlideGrid): Lattice | null {
  if (x.length === 0) return null;
  const box = (left: number, i: number) => ({ x: left, y: y[i]!, width: side, height: side });
  return new Lattice(Array.from(x, box));
}

function cellsOf(lattice: Lattice, filled: readonly number[]): HTMLCanvasElement {
  const pixels = new ImageData(lattice.columns, lattice.rows);
  const words = new Uint32Array(pixels.data.buffer);
  for (const i of filled) words[lattice.cellOf(i)] = 0x70ad5c0b;
  return drawn(pixels);
}

function drawn(pixels: ImageData): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [pixels.width, pixels.height];
  contextOf(canvas).putImageData(pixels, 0, 0);
  return canvas;
}
