// The legend and the notes of what the page shows, and one instance in words.
import { visible } from 'bagscope';
import { legend, methodNotes } from './legend';
import type { Legend } from '../state/evidence';
import { doc } from '../state/document.svelte';
import { answer } from '../state/answer.svelte';
import { view } from '../state/view.svelte';
import { look as words } from '../../strings';
import { question } from '../state/question.svelte';
import { noun } from '../state/noun';
import { whatif } from '../state/whatif.svelte';

const over = () => doc.place !== null && view.layout === 'picture';
const name = (c: number) => answer.className(c);

// Those of the class that lies over the picture, or of all classes in the rows.
const drawn = () =>
  over() ? view.explanations.filter((e) => e.class === view.class) : view.explanations;

/** The legend of the picture. Null while nothing is explained. */
export function legendOf(): Legend | null {
  return legend(drawn(), answer.by(view.method), name, {
    perClass: view.perClass,
    common: view.common,
    top: over() ? view.topCount : 0,
  });
}

/** What the method notes about the classes that the picture shows. */
export const notesOf = (): string[] => methodNotes(drawn(), name);

/** Of the explanation beside it; null where there is none. */
export function legendBeside(): Legend | null {
  const e = view.compared;
  return e && legend([e], answer.by(e.method), name, { perClass: view.perClass });
}

/** "instance 7 supports “an 8” by 0.31, out of the bag". */
export function describeInstance(instance: number): string {
  const e = view.leading;
  const scored = e
    ? words.sentence(noun(), instance, answer.className(e.class), view.reading(e, instance))
    : words.instanceAlone(noun(), instance);
  const named = whatif.names.get(instance);
  const text = named ? `${scored}, “${visible(named)}”` : scored;
  return question.removed.includes(instance) ? `${text}, ${words.outOfBag}` : text;
}
