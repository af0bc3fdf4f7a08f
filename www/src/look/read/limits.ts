// How large a file may be for the browser. What bags may hold is the engine's to limit.

/**
 * Pixels of a picture that is shown: 11,585 x 11,585, in 512 MB. Of a TIFF with smaller levels, the
 * largest that fits is taken.
 */
export const MOST_PIXELS = 2 ** 27;
/** Of a picture that the engine decodes at once. */
export const MOST_DECODED = 2 ** 26;
/** Bytes of a file's head, in which its sides and what else it states are looked for. */
export const HEAD_BYTES = 2 ** 20;
/** Of a picture's side: browsers draw none that is longer. */
export const LONGEST_SIDE = 16_384;
/** Bytes of a file that is hashed. */
export const MOST_BYTES = 2 ** 30;
