// The legend and the notes of what the page shows.
import { legend } from './legend';
import { methodNotes } from './notes';
import type { Legend } from './evidence';
import { studio } from './state.svelte';

const over = () => studio.place !== null && studio.view === 'picture';
const name = (c: number) => studio.className(c);

// Those of the class that lies over the picture, or of all classes in the rows.
const drawn = () =>
  over() ? studio.explanations.filter((e) => e.class === studio.faced) : studio.explanations;

/** The legend of the picture. Null while nothing is explained. */
export function legendOf(): Legend | null {
  return legend(drawn(), studio.allOf(studio.drawn), name, {
    perClass: studio.perClass,
    top: over() ? studio.top : 0,
  });
}

/** What the method notes about the classes that the picture shows. */
export const notesOf = (): string[] => methodNotes(drawn(), name);

/** Of the explanation beside it; null where there is none. */
export function legendBeside(): Legend | null {
  const e = studio.compared;
  return e && legend([e], studio.allOf(e.method), name, { perClass: studio.perClass });
}
