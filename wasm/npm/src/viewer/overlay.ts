import type OpenSeadragon from "openseadragon";
import { opacity as usual, type PaletteName } from "../colours.js";
import { reading } from "../patches/evidence.js";
import { PatchMap } from "../patches/map.js";
import { type Overlay, scoresOf } from "../patches/paint.js";
import { paletteOf } from "../patches/palette.js";
import type { Box, Explanation } from "../types.js";
import { GrayTiles } from "./graytiles.js";
import { placeOf, pointAt } from "./place.js";
import { Sheet } from "./sheet.js";

/** What lies over the viewer. */
export interface OverlayShown {
  /** Places of the bag's instances, `bag.boxes`. */
  boxes: readonly Box[];
  /** Scores of one class; null shows where the patches lie. */
  explanation: Explanation | null;
  /** The instances that were explained, `report.instances`; default all. */
  instances?: readonly number[];
  /** The difference that has the strongest colour. Default: `explanation.scale.own`. */
  most?: number;
}

/** How it is drawn. */
export interface OverlayOptions {
  /**
   * Width of the image in the units of the boxes, such as `bag.slide.width`. Default: the width of
   * the image that the viewer shows.
   */
  width?: number;
  /** Shades from patch to patch instead of one colour for each; default false. */
  smooth?: boolean;
  /** Opacity of the strongest colour, 0 to 1; default 0.7. */
  opacity?: number;
  /** Shows so many of the highest scores alone; 0, the default, shows all. */
  top?: number;
  /** Instances that are drawn as removed. */
  removed?: readonly number[];
  /** The instance with a frame, or null. */
  selected?: number | null;
  /**
   * How much of the slide's own colour stays beneath a map, 0 to 1; default 1. Less changes the
   * viewer's tiles once, when they are loaded.
   */
  colour?: number;
  /** Colours on a dark page; default false. */
  dark?: boolean;
  /** The colours for and against: "blue-orange", the default, or "green-red". */
  colours?: PaletteName;
}

export interface OverlayEvents {
  /** Called with the instance under the pointer when that changes; null for none. */
  onHover?(instance: number | null): void;
  /** Called with the instance that was clicked; the viewer then does not zoom. */
  onClick?(instance: number): void;
  /**
   * Called once with the reason if the map cannot be drawn, for example a BagscopeError of kind
   * "limit" if the browser has no memory left for canvases. Default: the error goes to the console.
   */
  onProblem?(cause: unknown): void;
}

export interface OverlayHandle {
  /** Shows something else, or in another way; what is not named stays. */
  show(changes: Partial<OverlayShown & OverlayOptions>): void;
  /** The instance at a point of the viewer in pixels, or null. */
  at(x: number, y: number): number | null;
  /** Removes the map and all handlers. */
  destroy(): void;
}

/**
 * Lays an explanation over the first image of a viewer. Rotation and mirroring of the viewport are
 * followed; an image that is rotated by itself is not.
 */
export function overlay(
  viewer: OpenSeadragon.Viewer,
  shown: OverlayShown & OverlayOptions & OverlayEvents,
): OverlayHandle {
  const state = { ...shown };
  let map = new PatchMap(state.boxes);
  const tiles = new GrayTiles(viewer);
  const scores = new KnownScores();
  let drawn = describe(state, scores);
  let hovered: number | null = null;
  let asked = 0;
  let failed = false;
  const sheet = new Sheet(viewer.canvas);

  function draw(): void {
    cancelAnimationFrame(asked);
    const placed = placeOf(viewer, state.width ?? null);
    const { selected, smooth = false } = state;
    const box = selected == null ? null : (state.boxes[selected] ?? null);
    try {
      sheet.show(placed && { placed, map, overlay: drawn, smooth, selected: box });
    } catch (cause) {
      if (!failed) (state.onProblem ?? reportError)(cause);
      failed = true;
    }
  }

  function later(): void {
    cancelAnimationFrame(asked);
    asked = requestAnimationFrame(draw);
  }

  /** Takes colour from the slide, so that the map's can be told from the stain's. */
  function fade(): void {
    const { explanation, top = 0, opacity = usual, colour = 1 } = state;
    tiles.keep(explanation && top === 0 && opacity > 0 ? colour : 1);
  }

  function at(x: number, y: number): number | null {
    const placed = placeOf(viewer, state.width ?? null);
    if (!placed) return null;
    const point = pointAt(placed, x, y);
    const found = map.lattice.at(point.x, point.y);
    return found < 0 ? null : found;
  }

  function hover(instance: number | null): void {
    if (instance === hovered) return;
    hovered = instance;
    state.onHover?.(instance);
  }

  function onMove(event: PointerEvent): void {
    const { left, top } = viewer.canvas.getBoundingClientRect();
    hover(at(event.clientX - left, event.clientY - top));
  }

  const onLeave = () => hover(null);

  function onClick(event: OpenSeadragon.CanvasClickEvent): void {
    const found = event.quick && state.onClick ? at(event.position.x, event.position.y) : null;
    if (found === null) return;
    event.preventDefaultAction = true;
    state.onClick!(found);
  }

  viewer.addHandler("update-viewport", draw);
  viewer.addHandler("close", later);
  viewer.addHandler("canvas-click", onClick);
  viewer.canvas.addEventListener("pointermove", onMove);
  viewer.canvas.addEventListener("pointerleave", onLeave);
  fade();
  later();

  return {
    show(changes) {
      const { boxes } = state;
      Object.assign(state, changes);
      if (state.boxes !== boxes) {
        map.close();
        map = new PatchMap(state.boxes);
      }
      // A frame about a patch and smoothing need no other picture of the patches.
      const light = Object.keys(changes).every((key) => key === "selected" || key === "smooth");
      if (!light) drawn = describe(state, scores);
      fade();
      later();
    },
    at,
    destroy() {
      cancelAnimationFrame(asked);
      viewer.removeHandler("update-viewport", draw);
      viewer.removeHandler("close", later);
      viewer.removeHandler("canvas-click", onClick);
      viewer.canvas.removeEventListener("pointermove", onMove);
      viewer.canvas.removeEventListener("pointerleave", onLeave);
      tiles.end();
      map.close();
      sheet.remove();
    },
  };
}

/** What is drawn, for the painter. */
function describe(o: OverlayShown & OverlayOptions, known: KnownScores): Overlay {
  const { boxes, removed = [], opacity = usual, top = 0 } = o;
  const palette = paletteOf(o.dark ?? false, o.colours);
  const [scores, out] = [known.of(o), new Set(removed)];
  return { boxes, scores, picture: true, apart: true, opacity, top, out, palette };
}

/** The scores that are drawn, which stay while only their look changes. */
class KnownScores {
  private from: readonly unknown[] = [];
  private scores: Overlay["scores"] = null;

  of({ boxes, explanation: e, instances, most }: OverlayShown): Overlay["scores"] {
    const from = [boxes, e, instances, most];
    if (from.every((part, i) => part === this.from[i]) && this.from.length > 0) return this.scores;
    this.from = from;
    this.scores = null;
    if (e) {
      const places = instances && new Map(instances.map((instance, place) => [instance, place]));
      const place = (instance: number) => (places ? (places.get(instance) ?? -1) : instance);
      this.scores = scoresOf(boxes.length, (i) => reading(e, place(i)), most ?? e.scale.own);
    }
    return this.scores;
  }
}
