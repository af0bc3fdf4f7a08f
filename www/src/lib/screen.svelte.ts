// What the screen is like: how dense its pixels are and whether the page is dark on it. Both may
// change while the page is open: a window moves to another screen, the evening comes. And the
// colours for and against a class, which a reader may change.
import type { PaletteName } from 'bagscope/patches';
import { readColours, writeColours } from './colours';

class Screen {
  #colours = $state<PaletteName>('blue-orange');
  density = $state(1);
  #system = $state(false);
  theme = $state('');
  dark = $derived(this.theme === 'dark' || (this.theme === '' && this.#system));

  constructor() {
    // A page that is written when the site is built has no screen yet.
    if (typeof matchMedia === 'undefined') return;
    const dark = matchMedia('(prefers-color-scheme: dark)');
    this.#system = dark.matches;
    dark.addEventListener('change', () => (this.#system = dark.matches));
    this.#watchDensity();
    this.colours = readColours();
  }

  get colours(): PaletteName {
    return this.#colours;
  }

  set colours(name) {
    this.#colours = name;
    writeColours(name);
  }

  // A query for one density says only that it is gone, so each change needs a new one.
  #watchDensity() {
    this.density = devicePixelRatio;
    matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener(
      'change',
      () => this.#watchDensity(),
      {
        once: true,
      },
    );
  }
}

export const screen = new Screen();
