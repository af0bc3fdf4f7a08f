/** The exports that browsers and Node share, beside `load`. */

export { arrowKeys, cellAt, type Direction, neighbour, places } from "./cells.js";
export { hasGraphicsProcessor } from "./device.js";
export { BagscopeError } from "./error.js";
export { bagFormats } from "./formats.js";
export { defaultMethod, methodTitles, settingsTitles } from "./methods.js";
export { methodOptions } from "./options.js";
export { readOptions } from "./readoptions.js";
export type * from "./types.js";
export { visible } from "./visible.js";
