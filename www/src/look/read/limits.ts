// How large a file may be, and what the page says of it beforehand. Memory is bounded by these.

/**
 * Pixels of one picture: 11,585 x 11,585, in 512 MB. Of a TIFF with smaller levels, the largest
 * that fits is taken.
 */
export const MOST_PIXELS = 2 ** 27;
/** Of a picture's side: browsers draw none that is longer. */
export const LONGEST_SIDE = 16_384;
/** Values of the patches that a bag is made of, which is the engine's own limit. */
export const MOST_VALUES = 2 ** 28;
/** Bytes of a file that is hashed. */
export const MOST_BYTES = 2 ** 30;
/** Cells of the grid over a picture. */
export const MOST_CELLS = 2 ** 18;
