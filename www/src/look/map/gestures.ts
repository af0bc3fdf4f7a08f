// What the keyboard and a click do to the instances of a bag, the same in strips, pictures and
// slides.
import { describeInstance } from './caption';
import { redo, toggle, toggleMany, undo } from '../whatif/removal';
import { look } from '../place/look.svelte';
import { around, corners, enclosed, type Rect } from '../place/view';
import { doc } from '../state/document.svelte';
import { announce } from '../state/session.svelte';
import { select, showMap, view } from '../state/view.svelte';

/**
 * Selects an instance, until another one is selected, and says what its score is. A rectangle that
 * the keyboard selects ends unless it is to grow.
 */
export function pick(instance: number, grows = false): void {
  if (!grows) look.anchor = null;
  select(instance);
  announce(describeInstance(instance));
}

/** The rectangle of patches that the keyboard selects, in the units of the boxes; null without one. */
export function rectangle(): Rect | null {
  const boxes = doc.place?.boxes;
  if (!boxes || look.anchor === null || view.selected === null) return null;
  const [from, to] = [boxes[look.anchor], boxes[view.selected]];
  return from && to ? around(from, to) : null;
}

/** The patches in the rectangle; none without one. */
export function inRectangle(): number[] {
  const framed = rectangle();
  return framed ? enclosed(doc.place!.boxes, corners(framed)) : [];
}

/** Removes what is selected, the rectangle or the instance, or restores it. */
function remove(): void {
  const many = inRectangle();
  look.anchor = null;
  if (many.length > 0) void toggleMany(many);
  else if (view.selected !== null) void toggle(view.selected);
}

const keys: Readonly<Record<string, () => void>> = {
  x: remove,
  Delete: remove,
  Backspace: remove,
  m: () => showMap(!view.mapped),
};
/** Opens the dialog of the browser that chooses files. */
const choose = () => document.querySelector<HTMLInputElement>('input[type=file]')?.click();

/** Keys with Control, or with Command on a Mac. */
const commands: Readonly<Record<string, () => void>> = {
  z: () => void undo(),
  'Shift+z': () => void redo(),
  y: () => void redo(),
  o: choose,
};

/** Elements that undo what is written in them. */
const TEXTS = 'input, textarea, [contenteditable]';
/** Elements in which keys write or choose. */
const FIELDS = `select, ${TEXTS}`;

/**
 * Does what a key of the whole page does. Letters count where nothing else has the focus and in the
 * parts of the page that are about the instances, which have the attribute data-instances.
 */
export function press(event: KeyboardEvent): void {
  const { target, key } = event;
  if (!(target instanceof Element) || event.defaultPrevented || event.repeat) return;
  const command = event.ctrlKey || event.metaKey;
  if (target.matches(command ? TEXTS : FIELDS) || event.altKey) return;
  const name = key.length === 1 ? key.toLowerCase() : key;
  if (!doc.bag && !(command && name === 'o')) return;
  const here = target.matches('body, main') || target.closest('[data-instances]') !== null;
  const action = command ? commands[(event.shiftKey ? 'Shift+' : '') + name] : here && keys[name];
  if (!action) return;
  event.preventDefault();
  action();
}
