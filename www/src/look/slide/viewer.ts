// OpenSeadragon, in a file of its own that is fetched before the page forbids itself to fetch.
import OpenSeadragon from 'openseadragon';
import { tileSource, withoutStyles } from 'bagscope/openseadragon';
import type { SlideImage } from 'bagscope';

export { overlay, scaleBar, type OverlayHandle } from 'bagscope/openseadragon';
export { Layer, viewOf } from './layer';
export type Viewer = OpenSeadragon.Viewer;

/** Tiles whose reading begins in one frame. With one, a first view of 40 tiles takes 40 frames. */
const TILES = 8;
/** Milliseconds until a tile is given up. Tiles are read here, however long the encoder takes. */
const TILE_TIME = 600_000;

/** Shows a slide in an element, without the library's buttons. */
export function show(element: HTMLElement, slide: SlideImage): Viewer {
  withoutStyles(); // the page's policy forbids the library's style element
  const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
  const viewer = OpenSeadragon({
    element,
    tileSources: tileSource(slide),
    showNavigationControl: false,
    animationTime: still ? 0 : 0.5,
    maxZoomPixelRatio: 4,
    maxTilesPerFrame: TILES,
    timeout: TILE_TIME,
    visibilityRatio: 0.5,
    gestureSettingsMouse: { clickToZoom: false, dblClickToZoom: true },
    gestureSettingsTouch: { clickToZoom: false, dblClickToZoom: true },
    gestureSettingsPen: { clickToZoom: false },
  });
  // The page scrolls where the slide is seen whole and the wheel zooms out further.
  viewer.addHandler('canvas-scroll', (event) => {
    const { viewport } = viewer;
    const out = event.scroll < 0 && viewport.getZoom() <= viewport.getHomeZoom() * 1.001;
    event.preventDefaultAction = out;
    event.preventDefault = !out;
  });
  return viewer;
}

/** Lets two viewers show the same part of a slide. The function that it returns ends that. */
export function lock(one: Viewer, other: Viewer): () => void {
  let following = false;
  const follow = (from: Viewer, to: Viewer) => () => {
    if (following || !to.world.getItemCount() || !from.world.getItemCount()) return;
    following = true;
    to.viewport.zoomTo(from.viewport.getZoom(true), undefined, true);
    to.viewport.panTo(from.viewport.getCenter(true), true);
    following = false;
  };
  const [there, back] = [follow(one, other), follow(other, one)];
  one.addHandler('viewport-change', there);
  other.addHandler('viewport-change', back);
  other.addOnceHandler('open', there);
  return () => {
    one.removeHandler('viewport-change', there);
    other.removeHandler('viewport-change', back);
  };
}

/** Microns that a pixel of the screen covers; 0 if the slide does not state its own. */
export function micronsOf(viewer: Viewer, slide: SlideImage): number {
  const item = viewer.world.getItemCount() ? viewer.world.getItemAt(0) : null;
  if (!item) return 0;
  return slide.micronsX / item.viewportToImageZoom(viewer.viewport.getZoom(true));
}
