// The question: what the user wants explained, and how. Only this module writes it.
import { defaultMethod, type MethodInfo } from 'bagscope';
import { loaded } from './document.svelte';
import { session } from './session.svelte';

export const ALL_METHODS = 'all';

/** A method whose map of one class is drawn beside the explanation. */
export interface Comparison {
  readonly method: string;
  readonly class: number;
}

/** The texts of the form; an empty text leaves the engine's default in force. */
export interface Choice {
  /** A method, all of them, or '' for the default of the model. */
  readonly method: string;
  readonly settings: string;
  readonly options: Readonly<Record<string, string>>;
  readonly output: string;
  readonly seed: string;
  /** What inputs beside the bag are compared with: "mean", or "age=50". */
  readonly reference: string;
}

const NONE: readonly number[] = [];

class Question {
  choice = $state.raw<Choice>({
    method: '',
    settings: '',
    options: {},
    output: '',
    seed: '',
    reference: '',
  });
  /** Classes that the user wants drawn; null leaves it to the page. */
  classes = $state.raw<readonly number[] | null>(null);
  /** Instances taken out of the open bag, ascending. */
  removed = $state.raw<readonly number[]>(NONE);
  /** What was removed before each change of the open bag; the last change is undone first. */
  past = $state.raw<readonly (readonly number[])[]>([]);
  /** What was removed before each change was undone. */
  future = $state.raw<readonly (readonly number[])[]>([]);
  comparison = $state.raw<Comparison | null>(null);

  /** The method that explained last when none was chosen. */
  usual = $state<string>(defaultMethod);
  /** The name of the method that is chosen or else usual, or that of all. */
  name = $derived(this.choice.method || this.usual);
  /** The method of this name; null for all of them. */
  method = $derived<MethodInfo | null>(session.methods.find((m) => m.name === this.name) ?? null);
  /** Names of the options that the method takes. */
  options = $derived<readonly string[]>(
    this.name === ALL_METHODS
      ? session.methods.flatMap((m) => m.options)
      : (this.method?.options ?? []),
  );
}

const state = new Question();

/** The question, to be read. */
export const question: Readonly<Question> = state;

/** Changes some texts of the form. */
export function choose(change: Partial<Choice>): void {
  state.choice = { ...state.choice, ...change };
}

/** Remembers which method explained where none was chosen. */
export const putUsual = (method: string) => void (state.usual = method);

/** Sets the text of one option; an empty text leaves the default in force. */
export function chooseOption(name: string, text: string): void {
  const options: Record<string, string> = { ...state.choice.options, [name]: text };
  if (text === '') delete options[name];
  choose({ options });
}

export const chooseClasses = (classes: readonly number[] | null) => void (state.classes = classes);
export const chooseComparison = (c: Comparison | null) => void (state.comparison = c);

/** Takes exactly these instances out of the bag. */
export const removeExactly = (instances: readonly number[]) => void (state.removed = instances);

/** The instances that an explanation is made without. If all are out, the whole bag is explained. */
export const excluded = (): readonly number[] =>
  state.removed.length === loaded.bag?.instances ? NONE : state.removed;

/** Takes exactly these instances out, and remembers what was out. */
export function changeRemoved(instances: readonly number[]): void {
  if (instances.join() !== state.removed.join())
    [state.past, state.future] = [[...state.past, state.removed], []];
  removeExactly(instances);
}

/** Undoes the last change of what is removed, or does it again, if there was one. */
export function stepRemoved(forward: boolean): void {
  const [from, to] = forward ? [state.future, state.past] : [state.past, state.future];
  const next = from.at(-1);
  if (!next) return;
  const [shorter, longer] = [from.slice(0, -1), [...to, state.removed]];
  [state.past, state.future] = forward ? [longer, shorter] : [shorter, longer];
  removeExactly(next);
}

/** The instances among these that the open bag has; none if they were the whole bag. */
export function fitting(instances: readonly number[]): readonly number[] {
  const count = loaded.bag?.instances ?? 0;
  const known = instances.filter((i) => i < count);
  return known.length < count ? known : NONE;
}

/** Puts back what the bag that was opened does not have. Its changes begin. */
export function fitRemoved(): void {
  [state.past, state.future] = [[], []];
  removeExactly(fitting(state.removed));
}
