// What-ifs: the sets, pairs and changes that were found for the open model and bag, the bag that
// instances are moved from and to, and what of this is marked in the picture. Only this module
// writes it.
import type {
  Bag,
  Checks,
  Curves,
  Groups,
  InsideMap,
  Model,
  Pairs,
  Picture,
  Profile,
  Sets,
  Turn,
} from 'bagscope';
import { answer } from './answer.svelte';
import { doc } from './document.svelte';
import { question } from './question.svelte';
import type { BagSource } from './types';
import { view } from './view.svelte';
import { namesIn } from './concepts';

/** What a what-if is about. Its answer is shown while the page is about the same. */
export interface Subject {
  readonly model: Model;
  readonly bag: Bag;
  readonly removed: readonly number[];
  readonly class: number;
  readonly output: string;
}

export type Kind = 'sets' | 'pairs' | 'turn' | 'inside' | 'checks' | 'profile' | 'concepts';

/** A search: how many coalitions were evaluated, of how many at most; 0 if that is not known. */
export interface Search {
  readonly kind: Kind;
  readonly done: number;
  readonly total: number;
}

/** The smallest sets of both kinds, and the curves. */
export interface SetAnswer {
  readonly sets: Sets;
  readonly curves: Curves;
}

/** Changes that turn the answer. Instances are those of `JoinedBag.joined`, or of the open bag. */
export interface TurnAnswer {
  readonly turn: Turn;
  /** The other bag, if its instances were added instead of own ones removed; else null. */
  readonly other: Bag | null;
  /** The instances of the other bag that were in the bag before. */
  readonly added: readonly number[];
}

interface Found {
  sets: SetAnswer;
  pairs: Pairs;
  turn: TurnAnswer;
  inside: InsideMap;
  checks: Checks;
  profile: Profile;
  concepts: Groups;
}

/** Another bag, joined to the open one. */
export interface JoinedBag {
  readonly model: Model;
  readonly bag: Bag;
  /** The index of the other bag in the set. */
  readonly index: number;
  readonly other: Bag;
  readonly joined: Bag;
  /** The drawing of the other bag. */
  readonly drawing: Picture | null;
}

/** The prediction of the changed bag. */
export interface ChangedBag {
  readonly prediction: readonly number[];
  readonly milliseconds: number;
}

type Kept = { [K in Kind]: { readonly of: Subject; readonly found: Found[K] } | null };

const NONE: readonly number[] = [];

class WhatIfState {
  /** The class that the user chose; -1 is the one that is drawn. */
  chosenClass = $state(-1);
  kept = $state.raw<Kept>({
    sets: null,
    pairs: null,
    turn: null,
    inside: null,
    checks: null,
    profile: null,
    concepts: null,
  });
  /** What is searched for; null if nothing is. */
  running = $state.raw<Search | null>(null);
  marked = $state.raw<{ readonly key: string; readonly instances: readonly number[] } | null>(null);
  /** The texts that name concepts of bags: by their files, and then by index. */
  named = $state.raw<ReadonlyMap<BagSource['files'], Readonly<Record<number, string>>>>(new Map());
  /** Whether pairs are drawn in the picture. */
  lines = $state(true);
  moving = $state.raw<JoinedBag | null>(null);
  /** Instances of the other bag, by their numbers there, that are in the changed bag. */
  added = $state.raw<readonly number[]>(NONE);
  changed = $state.raw<ChangedBag | null>(null);
}

const state = new WhatIfState();

class WhatIfView {
  class = $derived(
    state.chosenClass >= 0 && state.chosenClass < answer.classes.length
      ? state.chosenClass
      : view.class,
  );
  /** What the next what-if is about; null without a model and a bag. */
  subject = $derived<Subject | null>(
    doc.model && doc.bag && answer.prediction
      ? {
          model: doc.model,
          bag: doc.bag,
          removed: question.removed,
          class: this.class,
          output: question.choice.output,
        }
      : null,
  );
  sets = $derived<SetAnswer | null>(this.#of(state.kept.sets));
  pairs = $derived<Pairs | null>(this.#of(state.kept.pairs));
  profile = $derived<Profile | null>(this.#of(state.kept.profile));
  concepts = $derived<Groups | null>(this.#of(state.kept.concepts));
  /** The text that names concepts of the open bag, as users write it. */
  conceptText = $derived(
    (doc.bag && doc.bagSource && state.named.get(doc.bagSource.files)?.[doc.index]) ?? '',
  );
  /** The names of marked instances. */
  names = $derived(namesIn(this.conceptText, doc.bag?.instances ?? 0));
  #turn = $derived<TurnAnswer | null>(this.#of(state.kept.turn));
  inside = $derived<InsideMap | null>(this.#of(state.kept.inside));
  #checks = $derived<Checks | null>(this.#of(state.kept.checks));
  /** The checks of the drawn method's map. */
  checks = $derived<Checks | null>(this.#checks?.method === view.method ? this.#checks : null);
  moving = $derived<JoinedBag | null>(
    state.moving?.bag === doc.bag && state.moving?.model === doc.model ? state.moving : null,
  );
  changed = $derived<ChangedBag | null>(this.moving && state.changed);
  /** An answer about the other bag ends with the next move. */
  turn = $derived<TurnAnswer | null>(
    !this.#turn?.other ||
      (this.#turn.other === this.moving?.other && this.#turn.added === state.added)
      ? this.#turn
      : null,
  );

  get running(): Search | null {
    return state.running;
  }
  get added(): readonly number[] {
    return this.moving ? state.added : NONE;
  }
  get lines(): boolean {
    return state.lines;
  }
  /** The name of what is marked, '' if nothing is. */
  get markedKey(): string {
    return this.marked.length > 0 ? state.marked!.key : '';
  }
  /** Instances that are marked in the picture. */
  get marked(): readonly number[] {
    const shown = this.sets || this.turn || this.pairs || this.concepts;
    return shown ? (state.marked?.instances ?? NONE) : NONE;
  }

  #of<T>(kept: { readonly of: Subject; readonly found: T } | null): T | null {
    const now = this.subject;
    if (!kept || !now) return null;
    const { model, bag, removed, class: c, output } = kept.of;
    const same =
      [model, bag, removed].every((x, i) => x === [now.model, now.bag, now.removed][i]) &&
      c === now.class &&
      output === now.output;
    return same ? kept.found : null;
  }
}

/** What-ifs, to be read. */
export const whatif: Readonly<WhatIfView> = new WhatIfView();

export const askAbout = (c: number) => void (state.chosenClass = c);
/** Names concepts of the open bag by a text. */
export function nameConcepts(text: string): void {
  const files = doc.bagSource?.files;
  if (!doc.bag || !files) return;
  state.named = new Map(state.named).set(files, { ...state.named.get(files), [doc.index]: text });
}
/** Forgets the concepts of all bags. */
export const forgetConcepts = () => void (state.named = new Map());
export const drawLines = (on: boolean) => void (state.lines = on);

/** Marks instances in the picture, under a name; the same name again removes the marks. */
export function mark(key: string, instances: readonly number[]): void {
  state.marked = state.marked?.key === key ? null : { key, instances };
}

/** What is searched for; null ends it. */
export const putRunning = (running: Search | null) => void (state.running = running);

/** The answer of a what-if. */
export function putFound<K extends Kind>(of: Subject, kind: K, found: Found[K]): void {
  state.kept = { ...state.kept, [kind]: { of, found } };
  state.marked = null;
}

/** Joins another bag, or separates it: null. The bags before are closed. */
export function putMoving(moving: JoinedBag | null): void {
  state.moving?.joined.close();
  state.moving?.other.close();
  [state.moving, state.added, state.changed] = [moving, NONE, null];
}

/** Moves instances of the other bag into the changed bag, or back. */
export const addExactly = (instances: readonly number[]) => void (state.added = instances);
export const putChanged = (changed: ChangedBag | null) => void (state.changed = changed);
