/**
 * Draws an explanation's patches on a canvas: the colours, the shades and the signs of all maps of
 * bagscope.
 */

export { magnitude, reading, type Reading, sign } from "./patches/evidence.js";
export { Lattice } from "./patches/lattice.js";
export { PatchMap } from "./patches/map.js";
export {
  fill,
  outline,
  type Overlay,
  paint,
  type Scores,
  scoresOf,
  stroke,
  VEIL,
} from "./patches/paint.js";
export { edge, type Palette, palettes, ramp, rampCSS, tint } from "./patches/palette.js";
export type { Frame, Rect, View } from "./patches/view.js";
