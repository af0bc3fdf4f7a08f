/**
 * Draws an explanation's patches on a canvas: the colours, the shades and the signs of all maps of
 * bagscope.
 */

export { greyed, leastDrawn, opacity, type PaletteName, paletteNames } from "./colours.js";
export { reading, type Reading, sign } from "./patches/evidence.js";
export { Lattice } from "./patches/lattice.js";
export { PatchMap } from "./patches/map.js";
export {
  fill,
  fillOf,
  lineOf,
  outline,
  type Overlay,
  paint,
  type Scores,
  scoresOf,
  shadeOf,
  stroke,
} from "./patches/paint.js";
export { type Palette, paletteOf, ramp, rampCSS } from "./patches/palette.js";
export type { Frame, Rect, View } from "./patches/view.js";
