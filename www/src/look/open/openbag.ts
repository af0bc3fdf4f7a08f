// Replacing the open model and set, showing a bag of the set, and closing them.
import { brief } from '../state/brief';
import { isExample, suits } from './example';
import { cancelAll, reask } from '../explain/explanation';
import { expectNothing } from './external';
import { cancelJudging } from '../judge/judgement';
import { dropOther } from './other.svelte';
import { release, type OpenedSet } from './bagfiles';
import type { Prepared } from '../state/types';
import type { OpenedModel } from './modelfile';
import { asStated } from './statedbag';
import { describe } from '../state/problem';
import { leave as leavePlace, placeOf, placeOn } from '../place/place';
import { answer, clearAnswers, dropBatch, putTogether } from '../state/answer.svelte';
import * as document from '../state/document.svelte';
import { loaded } from '../state/document.svelte';
import {
  choose,
  chooseClasses,
  fitRemoved,
  question,
  removeExactly,
} from '../state/question.svelte';
import { beginOpening, fail, sayMoved, whileBusy } from '../state/session.svelte';
import type { BagSource } from '../state/types';
import { draftGrid, expectInstance, expectSight, select } from '../state/view.svelte';
import { forgetConcepts } from '../state/whatif.svelte';
import { look as words } from '../../strings';

/** How a bag is shown after it was opened. */
export interface ShowOptions {
  /** The index of the bag in the set; default 0. */
  index?: number;
  /** Whether removed instances stay removed. */
  keep?: boolean;
  /** Whether this is the example that the page opens at its start. */
  first?: boolean;
  /** Whether the same files are opened with other options. */
  again?: boolean;
  /** Whether the bag is one of the table of bags, which then stays. */
  listed?: boolean;
}

/** A bag to show; `opened` is its set, if that replaces the open one. */
export interface Next extends ShowOptions {
  opened?: OpenedSet;
  /** Called when the bag is open and the page may show it. */
  done?: () => void;
}

/** The number of bags shown so far. A newer bag replaces one that is still being loaded. */
let turn = 0;

/** Shows a bag of the open set and explains it. Removed instances are restored unless kept. */
export function go(index: number, options: Pick<ShowOptions, 'keep'> = {}): Promise<void> {
  return whileBusy(() => show({ ...options, index }));
}

/**
 * Shows a bag and explains it. Between its last change of the state and the request nothing is
 * awaited, so that the engine gets the request before the page renders.
 */
export async function show({ index = 0, keep = false, opened, done, listed }: Next): Promise<void> {
  if (opened) {
    useSet(opened);
    if (!listed) dropBatch();
  }
  const set = loaded.bagSet;
  if (!set || set.length === 0) return;
  const mine = ++turn;
  cancelAll();
  cancelJudging();
  done ??= beginOpening({ model: '', bag: '' });
  const at = Math.min(Math.max(index, 0), set.length - 1);
  try {
    const source = loaded.bagSource!;
    const bag = await asStated(opened?.bag ?? (await set.bag(at)), source, at, loaded.model);
    const { picture = null, slide = null } = loaded.prepared ?? {};
    const stated = bag.slide?.width && bag.slide.height ? bag.slide : null;
    const found = slide
      ? placeOn(bag, slide, stated)
      : bag.boxes && (await placeOf(bag, picture, set.cut !== null, stated));
    const [place, why] = typeof found === 'string' ? [null, found] : [found, ''];
    if (mine !== turn) {
      leavePlace(place);
      return bag.close();
    }
    leavePlace(loaded.place);
    document.replaceBag(bag, at, place, why);
    if (!keep) forget();
    fitRemoved();
    sayMoved('');
    select(null);
    clearAnswers();
  } catch (error) {
    if (mine !== turn) return;
    // The bag that is open belongs to the replaced set.
    if (opened) closeBag();
    fail(
      'opening',
      describe(error, loaded.bag ? words.messages.stays(brief(loaded.bag.name)) : ''),
    );
    return;
  } finally {
    done();
  }
  await reask();
}

/** Explains another one of the open models, or their mean, 0. The bag is not encoded again. */
export async function switchModel(which: number): Promise<void> {
  pickModel(which);
  await reask();
}

/**
 * Chooses another one of the open models. Removes what the one before computed; what all of them
 * predict stays.
 */
export function pickModel(which: number): void {
  const { model } = loaded;
  document.useModel(which);
  if (loaded.model === model) return;
  cancelAll();
  cancelJudging();
  const { together } = answer;
  clearAnswers();
  if (together) putTogether(together);
  dropBatch();
}

/** Forgets what was removed from, selected in and seen of another bag. */
function forget(): void {
  removeExactly([]);
  expectInstance(null);
  expectSight(null);
}

/** Replaces the open model. With `keep`, the chosen classes stay. */
export function useModel({ model, source, folds }: OpenedModel, keep: boolean): void {
  // The example's settings are removed for another model.
  const { choice } = question;
  const { settings, samples } = suits();
  if (!isExample(source) && isExample(loaded.modelSource) && choice.settings === settings) {
    const { samples: asked, ...options } = choice.options;
    choose({ settings: '', options: asked === samples ? options : choice.options });
  }
  if (!keep) document.useModel(0);
  document.replaceModel(model, source, folds);
  if (!source.target) dropOther();
  expectNothing();
  dropBatch();
  clearAnswers();
  if (!keep) chooseClasses(null);
}

function useSet({ set, source, prepared }: OpenedSet): void {
  const before = loaded.prepared;
  document.replaceSet(set, source, prepared);
  draftGrid(null);
  release(before, prepared);
}

/** Shows a slide without a bag. */
export function showAlone({ source, prepared }: { source: BagSource; prepared: Prepared }): void {
  const before = loaded.prepared;
  cancelAll();
  cancelJudging();
  turn++;
  closeBag();
  document.replaceSet(null, source, prepared);
  draftGrid(null);
  dropBatch();
  release(before, prepared);
}

export function closeModel(): void {
  document.closeModel();
  dropOther();
  dropBatch();
  clearAnswers();
}

export function closeSet(): void {
  cancelAll();
  closeBag();
  release(loaded.prepared, null);
  document.closeSet();
  dropOther();
  forgetConcepts();
  draftGrid(null);
}

function closeBag(): void {
  leavePlace(loaded.place);
  document.closeBag();
  removeExactly([]);
  fitRemoved();
  sayMoved('');
  select(null);
  clearAnswers();
}
