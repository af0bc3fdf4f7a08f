// The colours for and against a class, remembered where the browser allows it.
import type { PaletteName } from 'bagscope/patches';

const KEY = 'bagscope-colours';

/** The remembered pair of colours. */
export function readColours(): PaletteName {
  try {
    return localStorage.getItem(KEY) === 'green-red' ? 'green-red' : 'blue-orange';
  } catch {
    return 'blue-orange'; // storage is forbidden here
  }
}

/** Shows words in a pair of colours and remembers it. */
export function writeColours(name: PaletteName): void {
  document.documentElement.dataset.colours = name;
  try {
    if (name === 'green-red') localStorage.setItem(KEY, name);
    else localStorage.removeItem(KEY);
  } catch {
    // Not remembered, but shown.
  }
}
