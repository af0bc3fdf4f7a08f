// The names of the classes beside the rows of a drawing, as text of the page.

/** How wide a letter of the page's small type is about, at 16 pixels to the em. */
const LETTER = 7;
/** Room for names has such steps, so that few drawings change with the page's type. */
const STEP = 8;
/** The engine takes no more than a third of the width for names. */
const SHARE = 1 / 3;

/** How names are shown in a drawing so wide, on a page whose type has so many pixels to the em. */
export function labelled(
  names: readonly string[],
  width: number,
  em = 16,
): { room: number; keys: string[] | null } {
  const letter = (LETTER * em) / 16;
  const longest = Math.max(1, ...names.map((n) => [...n].length)) * letter;
  // Names that would be cut are letters, and what they mean stands above.
  const keys = longest > width * SHARE - 12 ? names.map((_, i) => key(i)) : null;
  return { room: STEP * Math.ceil((keys ? 2 * letter : longest) / STEP), keys };
}

/** A, B, … Z, AA, AB, … */
export function key(i: number): string {
  return (i >= 26 ? key(Math.floor(i / 26) - 1) : '') + String.fromCharCode(65 + (i % 26));
}
