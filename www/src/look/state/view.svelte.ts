// The view: which part of the answer is drawn, and how. Only this module writes it.
import type { Explanation, Picture } from 'bagscope';
import { opacity } from 'bagscope/patches';
import { commonScale, reading, type CommonScale, type Reading } from './evidence';
import { strongestFirst } from './strength';
import { answer } from './answer.svelte';
import { doc } from './document.svelte';
import { question, type Comparison } from './question.svelte';
import type { Sight } from '../place/view';
import type { GridDraft } from './types';

/** Classes that are drawn if the user has chosen none. */
const FEW_CLASSES = 6;

class View {
  /** The method that the user chose among those of the report; '' leaves it to the page. */
  chosenMethod = $state('');
  /** The class that the user chose where one is drawn; -1 is the predicted one. */
  chosenClass = $state(-1);
  /** How a bag that lies in a picture is drawn. */
  layout = $state<'picture' | 'strip'>('picture');
  /** Whether the map lies over the picture. */
  mapped = $state(true);
  /** Whether instances are listed and drawn as in the file, and not the strongest first. */
  inFileOrder = $state(false);
  /** The part of the picture that is in sight; null for all of it. */
  sight = $state.raw<Sight | null>(null);
  /** The part that is to be shown as soon as a picture is there; null leaves it. */
  expectedSight = $state.raw<Sight | null>(null);
  /** Whether each class has a colour scale of its own. */
  perClass = $state(false);
  /** Whether the bag has a colour scale of its own beside others that were explained with it. */
  perBag = $state(false);
  /** Opacity of the strongest colour over a picture. */
  opacity = $state(opacity);
  /** How many of the highest scores are drawn over a picture; 0 draws all. */
  topCount = $state(0);
  /** The instance that the card is about. */
  selected = $state<number | null>(null);
  /** Whether the user selected it, and not the page. */
  pointed = $state(false);
  /** The instance under the pointer, which has a faint frame. */
  hovered = $state<number | null>(null);
  gridDraft = $state.raw<GridDraft | null>(null);
  /** The drawing of the bag, and its pixels to one of the page. */
  drawing = $state.raw<Picture | null>(null);
  drawingScale = $state(1);

  /** The method that is drawn. */
  method = $derived(
    answer.methods.find((m) => m === this.chosenMethod) ??
      answer.methods.find((m) => m === question.name) ??
      answer.methods[0] ??
      null,
  );
  /** Class indices that are drawn, ascending. */
  classes = $derived(this.#classes());
  /** The drawn method's explanations of these classes. */
  explanations = $derived<Explanation[]>(
    answer.by(this.method).filter((e) => this.classes.includes(e.class)),
  );
  /** The class that is drawn where there is room for one. */
  class = $derived(
    this.classes.includes(this.chosenClass)
      ? this.chosenClass
      : this.classes.includes(answer.predictedNow)
        ? answer.predictedNow
        : this.classes[0]!,
  );
  /** The explanation of the class that is predicted now, or of the first that is drawn. */
  leading = $derived<Explanation | null>(
    this.explanations.find((e) => e.class === answer.predictedNow) ?? this.explanations[0] ?? null,
  );
  /** The explanation of the class that is drawn where there is room for one. */
  shown = $derived<Explanation | null>(
    this.explanations.find((e) => e.class === this.class) ?? null,
  );
  /** The instances by the size of their evidence about that class. */
  strongestFirst = $derived<readonly number[]>(
    this.shown && doc.bag ? strongestFirst(doc.bag.instances, this.readings(this.shown)) : [],
  );
  /** The scale of the bags that were explained with this one; null if they have none in common. */
  together = $derived<CommonScale | null>(
    answer.bagsBeside.length > 0 ? commonScale(this.explanations, answer.bagsBeside) : null,
  );
  /** The same while the picture is drawn by it. */
  common = $derived(this.perClass || this.perBag ? null : this.together);
  /** Whether the report is of other instances than are in the bag now. */
  stale = $derived(this.#stale());
  /** The explanation over the picture; null while the map is off. */
  map = $derived<Explanation | null>(this.mapped ? this.shown : null);
  /** What is drawn beside the explanation, with a class that the open model has. */
  comparison = $derived<Comparison | null>(
    question.comparison && {
      ...question.comparison,
      class:
        question.comparison.class < answer.classes.length ? question.comparison.class : this.class,
    },
  );
  /** The explanation drawn beside; null while the report does not hold it. */
  compared = $derived<Explanation | null>(this.comparison && answer.of(this.comparison));

  #classes(): number[] {
    const all = answer.classes.map((_, c) => c);
    const chosen = question.classes?.filter((c) => c < all.length) ?? [];
    if (chosen.length > 0) return chosen;
    if (all.length <= FEW_CLASSES) return all;
    const scores = answer.remaining?.values ?? answer.prediction?.prediction ?? [];
    const best = all.sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0));
    return best.slice(0, FEW_CLASSES - 1).sort((a, b) => a - b);
  }

  #stale(): boolean {
    const { removed } = question;
    const explained = answer.report?.instances.length;
    if (explained === undefined || !doc.bag) return false;
    return (
      explained + removed.length !== doc.bag.instances ||
      removed.some((i) => answer.position(i) >= 0)
    );
  }

  /** The score of an instance of the bag in an explanation, NaN if it was not explained. */
  score(e: Explanation, instance: number): number {
    return e.scores[answer.position(instance)] ?? NaN;
  }

  /** The same score beside its neutral point, and whether it is evidence. */
  reading(e: Explanation, instance: number): Reading {
    return reading(e, answer.position(instance));
  }

  /** The same as a function, for all instances of a bag. */
  readings(e: Explanation): (instance: number) => Reading {
    const at = answer.positions;
    return (instance) => reading(e, at(instance));
  }

  /**
   * The difference that has the strongest colour: of the explanation's class, of all classes, or of
   * all bags.
   */
  scale(e: Explanation): number {
    if (this.perClass) return e.scale.own;
    return (e.method === this.method && this.common?.scale) || e.scale.shared;
  }
}

const state = new View();

/** The view, to be read. */
export const view: Readonly<View> = state;

export const showMethod = (method: string) => void (state.chosenMethod = method);
export const showClass = (c: number) => void (state.chosenClass = c);
export const layOut = (layout: 'picture' | 'strip') => void (state.layout = layout);
export const showMap = (on: boolean) => void (state.mapped = on);
export const orderByFile = (on: boolean) => void (state.inFileOrder = on);
export const see = (sight: Sight | null) => void (state.sight = sight);
export const expectSight = (sight: Sight | null) => void (state.expectedSight = sight);
export const scalePerClass = (on: boolean) => void (state.perClass = on);
export const scalePerBag = (on: boolean) => void (state.perBag = on);
export const fade = (opacity: number) => void (state.opacity = opacity);
export const showTop = (count: number) => void (state.topCount = count);
export function select(instance: number | null): void {
  [state.selected, state.pointed, state.hovered] = [instance, instance !== null, null];
}
export const hover = (instance: number | null) => void (state.hovered = instance);

/** The instance of a link, which is selected as soon as the bag is explained. */
let expected: number | null = null;
export const expectInstance = (instance: number | null) => void (expected = instance);

/** Selects an instance unless one is selected: that of a link, if the bag has it. */
export function selectFirst(instance: number): void {
  if (state.selected !== null) return;
  if (expected !== null && expected < (doc.bag?.instances ?? 0)) select(expected);
  else state.selected = instance;
  expected = null;
}
export const draftGrid = (draft: GridDraft | null) => void (state.gridDraft = draft);

/** The drawing of the bag, with its pixels to one of the page. */
export function putDrawing(drawing: Picture | null, scale = 1): void {
  [state.drawing, state.drawingScale] = [drawing, scale];
}

/** Back to how the page starts. */
export function resetView(): void {
  [state.chosenMethod, state.chosenClass, state.layout] = ['', -1, 'picture'];
  [state.perClass, state.opacity, state.topCount, state.mapped] = [false, opacity, 0, true];
  [state.inFileOrder, state.perBag, state.expectedSight, expected] = [false, false, null, null];
}
