// The state as a link, and a link as the state.
import { fieldsFor } from '../state/fields';
import type { Link } from './hash';
import { pickModel } from './openbag';
import { doc, expectBag } from '../state/document.svelte';
import { ALL } from '../place/view';
import {
  expectInstance,
  expectSight,
  layOut,
  orderByFile,
  select,
  showClass,
  showMap,
  view,
} from '../state/view.svelte';
import {
  choose,
  chooseClasses,
  chooseComparison,
  question,
  removeExactly,
} from '../state/question.svelte';

/** The state as a link. */
export function linkOf(): Link {
  const { choice, classes, removed, comparison } = question;
  const options: Record<string, string> = {};
  for (const field of fieldsFor(question.options)) {
    const text = choice.options[field.name];
    // Coalitions may be megabytes long, and a link is not.
    if (text && field.kind !== 'lines') options[field.name] = text;
  }
  return {
    method: choice.method || undefined,
    settings: choice.settings || undefined,
    options,
    output: choice.output || undefined,
    reference: choice.reference || undefined,
    seed: choice.seed === '' ? undefined : Number(choice.seed),
    classes: classes ? [...classes] : undefined,
    class: view.chosenClass < 0 ? undefined : view.chosenClass,
    rows: view.layout === 'strip' || undefined,
    bare: !view.mapped || undefined,
    order: view.inFileOrder ? 'file' : undefined,
    at: view.pointed ? (view.selected ?? undefined) : undefined,
    view: view.sight ?? undefined,
    fold: doc.which > 0 && doc.models.length > 0 ? doc.which - 1 : undefined,
    bag: doc.index,
    out: removed.length > 0 ? [...removed] : undefined,
    against: comparison ? `${comparison.method}.${comparison.class}` : undefined,
  };
}

/** Takes over what a link says. */
export function applyLink(link: Link): void {
  choose({
    method: link.method ?? '',
    settings: link.settings ?? '',
    output: link.output ?? '',
    reference: link.reference ?? '',
    seed: link.seed === undefined ? '' : String(link.seed),
    options: { ...link.options },
  });
  chooseClasses(link.classes ?? null);
  applyDrawing(link);
  expectInstance(link.at ?? null);
  expectSight(link.view ?? null);
  pickModel(link.fold === undefined ? 0 : link.fold + 1);
  expectBag(link.bag ?? 0);
  removeExactly(link.out ?? []);
  const [method, of] = link.against?.split('.') ?? [];
  chooseComparison(method ? { method, class: Number(of) } : null);
}

/** Takes over what is shown of the open bag. */
export function applyView(link: Link): void {
  applyDrawing(link);
  if (link.at !== undefined && link.at < (doc.bag?.instances ?? 0)) select(link.at);
  expectSight(link.view ?? ALL);
}

/** Takes over which class is on the picture, and how the bag is drawn. */
function applyDrawing(link: Link): void {
  showClass(link.class ?? -1);
  layOut(link.rows ? 'strip' : 'picture');
  showMap(!link.bare);
  orderByFile(link.order === 'file');
}
