// The legend of what the page shows.
import { legend } from './legend';
import type { Legend } from './evidence';
import { studio } from './state.svelte';

/** Of the picture: of the class that lies over it, or of all classes in the rows. Null while nothing is explained. */
export function legendOf(): Legend | null {
  const over = studio.place !== null && studio.view === 'picture';
  const shown = over ? studio.explanations.filter((e) => e.class === studio.faced) : studio.explanations;
  return legend(shown, studio.allOf(studio.drawn), (c) => studio.className(c), {
    perClass: studio.perClass,
    top: over ? studio.top : 0,
  });
}

/** Of the explanation beside it; null where there is none. */
export function legendBeside(): Legend | null {
  const e = studio.compared;
  return e && legend([e], studio.allOf(e.method), (c) => studio.className(c), { perClass: studio.perClass });
}
