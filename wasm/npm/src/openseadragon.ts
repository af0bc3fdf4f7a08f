/**
 * bagscope for OpenSeadragon: shows slides in it, and lays an explanation over whatever it shows.
 */

export {
  overlay,
  type OverlayEvents,
  type OverlayHandle,
  type OverlayOptions,
  type OverlayShown,
} from "./viewer/overlay.js";
export { withoutStyles } from "./viewer/policy.js";
export { scaleBar, type ScaleBar } from "./viewer/scalebar.js";
export { tileSource } from "./viewer/tiles.js";
