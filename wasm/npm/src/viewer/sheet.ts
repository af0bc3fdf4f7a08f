import { contextOf } from "../canvas.js";
import type { PatchMap } from "../patches/map.js";
import type { Overlay } from "../patches/paint.js";
import type { Frame, Rect, View } from "../patches/view.js";
import { covering, type Placed, turn } from "./place.js";

/** How far patches are drawn beyond the frame, as a share of its sides. */
const MARGIN = 1 / 8;
/** The change of scale up to which drawn patches are stretched while the viewer moves. */
const STRETCH = 1.25;
/** Milliseconds without a move after which stretched patches are drawn again. */
const REST = 100;

/** What a sheet shows. */
export interface Sheeted {
  placed: Placed;
  map: PatchMap;
  overlay: Overlay;
  smooth: boolean;
  /** The box with a frame. */
  selected: Rect | null;
}

/**
 * Elements over a viewer with a map of patches. A move of the viewer changes their transforms alone,
 * which a browser composes without drawing: a canvas of the viewer's size that is drawn in each frame
 * takes about as long as the viewer itself.
 */
export class Sheet {
  private readonly outer = box({
    inset: "0",
    overflow: "hidden",
    pointerEvents: "none",
  });
  /** Follows rotation and mirroring. */
  private readonly turned = box({ left: "0", top: "0", transformOrigin: "0 0" });
  /** The patches in sight and some about them, drawn one by one. */
  private readonly near = composed(document.createElement("canvas"));
  /** One pixel for each patch. */
  private far: HTMLCanvasElement | null = null;
  private readonly frame = box({ left: "0", top: "0", boxSizing: "border-box" });
  /** What is drawn in `near`: the part of the image, and how. */
  private drawn: { view: View; frame: Frame; density: number; overlay: Overlay } | null = null;
  private resting: ReturnType<typeof setTimeout> | undefined;

  constructor(viewer: HTMLElement) {
    this.turned.append(this.near, this.frame);
    this.outer.append(this.turned);
    viewer.append(this.outer);
  }

  /** Shows a map; null shows nothing. Throws if the browser cannot draw. */
  show(shown: Sheeted | null): void {
    clearTimeout(this.resting);
    this.outer.style.display = shown && shown.map.lattice.boxes.length > 0 ? "" : "none";
    if (!shown) return;
    const { placed, map, smooth } = shown;
    const { view, frame } = covering(placed);
    this.turned.style.transform = turn(placed);
    const near = map.detailed(view, frame, smooth);
    this.near.style.display = near ? "" : "none";
    if (near) this.showNear(shown, view, frame);
    this.showFar(near ? null : shown, view);
    this.showFrame(shown, view);
  }

  remove(): void {
    clearTimeout(this.resting);
    this.near.width = this.near.height = 0;
    this.outer.remove();
  }

  private showNear(shown: Sheeted, view: View, frame: Frame): void {
    const density = devicePixelRatio || 1;
    const { overlay } = shown;
    const known = this.drawn;
    const fits =
      known?.overlay === overlay && known.density === density && reaches(known, view, frame);
    if (!fits) this.drawNear(shown, view, frame, density);
    const drawn = this.drawn!;
    put(this.near, view, drawn.view.x, drawn.view.y, view.scale / drawn.view.scale);
    if (!fits) return;
    this.resting = setTimeout(() => {
      this.drawn = null;
      this.showNear(shown, view, frame);
      clearTimeout(this.resting);
    }, REST);
  }

  private drawNear({ map, overlay }: Sheeted, view: View, frame: Frame, density: number): void {
    const [across, down] = [Math.round(MARGIN * frame.width), Math.round(MARGIN * frame.height)];
    const wide = { width: frame.width + 2 * across, height: frame.height + 2 * down };
    const from = { ...view, x: view.x - across / view.scale, y: view.y - down / view.scale };
    const [w, h] = [Math.round(wide.width * density), Math.round(wide.height * density)];
    const { near } = this;
    if (near.width !== w || near.height !== h) [near.width, near.height] = [w, h];
    Object.assign(near.style, { width: `${wide.width}px`, height: `${wide.height}px` });
    const context = contextOf(near);
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, w, h);
    context.setTransform(density, 0, 0, density, 0, 0);
    map.drawEach(context, from, wide, overlay);
    this.drawn = { view: from, frame: wide, density, overlay };
  }

  private showFar(shown: Sheeted | null, view: View): void {
    const picture = shown ? shown.map.pictureOf(shown.overlay, shown.smooth) : null;
    if (picture !== this.far) {
      this.far?.remove();
      this.far = picture;
      if (picture) this.turned.prepend(composed(picture));
    }
    if (!picture || !shown) return;
    const { x, y, step } = shown.map.place(shown.smooth);
    const scale = step * view.scale;
    picture.style.imageRendering = shown.smooth || scale < 1 ? "auto" : "pixelated";
    put(picture, view, x, y, scale);
  }

  private showFrame({ selected: b, overlay: { palette } }: Sheeted, view: View): void {
    const { style } = this.frame;
    style.display = b ? "" : "none";
    if (!b) return;
    style.border = `2px solid ${palette.ink}`;
    style.boxShadow = `0 0 0 1px ${palette.paper}, inset 0 0 0 1px ${palette.paper}`;
    style.width = `${b.width * view.scale + 2}px`;
    style.height = `${b.height * view.scale + 2}px`;
    const [x, y] = [(b.x - view.x) * view.scale - 1, (b.y - view.y) * view.scale - 1];
    style.transform = `translate(${x}px,${y}px)`;
  }
}

/** Whether patches that were drawn for another view cover this one, and are not stretched too far. */
function reaches(drawn: { view: View; frame: Frame }, view: View, frame: Frame): boolean {
  const stretch = view.scale / drawn.view.scale;
  if (stretch > STRETCH || stretch < 1 / STRETCH) return false;
  const { x, y, scale } = drawn.view;
  return (
    x <= view.x &&
    y <= view.y &&
    x + drawn.frame.width / scale >= view.x + frame.width / view.scale &&
    y + drawn.frame.height / scale >= view.y + frame.height / view.scale
  );
}

/** Puts the upper left corner of an element at a place of the image. */
function put(of: HTMLElement, view: View, x: number, y: number, scale: number): void {
  const [left, top] = [(x - view.x) * view.scale, (y - view.y) * view.scale];
  of.style.transform = `matrix(${scale},0,0,${scale},${left},${top})`;
}

function box(style: Partial<CSSStyleDeclaration>): HTMLElement {
  const made = document.createElement("div");
  Object.assign(made.style, { position: "absolute" }, style);
  return made;
}

/** Lets the browser compose a canvas by itself. */
function composed(canvas: HTMLCanvasElement): HTMLCanvasElement {
  Object.assign(canvas.style, {
    ...{ position: "absolute", left: "0", top: "0" },
    ...{ transformOrigin: "0 0", willChange: "transform" },
  });
  return canvas;
}
