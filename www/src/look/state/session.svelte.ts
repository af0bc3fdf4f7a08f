// The session: the engine, what the page does now, and what it says to its user. Only this module
// writes it.
import { visible } from 'bagscope';
import type { DataSettings, Engine, MethodInfo } from 'bagscope';
import { brief } from './brief';
import * as machine from '../read/phase';
import type { OpeningFiles, Phase, Progress, Stage } from '../read/phase';
import type { Extras, Problem } from './types';

class Session {
  phase = $state.raw<Phase>(machine.initial);
  /** Whether the stored explanation of the example is shown until the engine has made its own. */
  stored = $state(false);
  /** The key of the example's network; '' is the one that the page opens by itself. */
  network = $state('');
  engine = $state.raw<Engine | null>(null);
  methods = $state.raw<readonly MethodInfo[]>([]);
  dataSettings = $state.raw<readonly DataSettings[]>([]);
  /** What is fetched behind the first screen; null until it is there. */
  extras = $state.raw<Extras | null>(null);
  /** Whether the page has forbidden itself any further connection. */
  sealed = $state(false);

  problem = $state.raw<Problem | null>(null);
  /** A sentence that says what went well, or what is needed next. */
  notice = $state('');
  /** What was removed or restored last, in words; '' shows nothing. */
  moved = $state('');
  /** The last sentence for screen readers. */
  announcement = $state('');

  /**
   * How many short pieces of work are under way: a prediction, a drawing, a file that is written.
   */
  pending = $state(0);
  busy = $derived(
    this.phase.at === 'opening' || this.phase.at === 'explaining' || this.pending > 0,
  );

  /** Whether files are being opened, so that nothing of those before is shown. */
  opening = $derived(this.phase.at === 'opening' && !this.stored);
  /** The names of a model and of a bag that are being opened; '' if there is none. */
  openingModel = $derived(this.#openingName('model'));
  openingBag = $derived(this.#openingName('bag'));
  /** Whether open files are read again by other options. */
  openingAgain = $derived(this.phase.at === 'opening' && this.phase.files.some((f) => f.again));
  /** How far the current stage is; null when nothing long is under way. */
  progress = $derived<Progress | null>(
    this.phase.at === 'opening' || this.phase.at === 'explaining' ? this.phase.progress : null,
  );
  /** Whether the engine has started, and its methods are offered. */
  started = $derived(this.methods.length > 0);
  explaining = $derived(this.phase.at === 'explaining');
  /** Whether the engine could not be started: nothing can be opened. */
  stopped = $derived(this.phase.at === 'failed' && this.phase.during === 'starting');

  #openingName(half: 'model' | 'bag'): string {
    if (this.phase.at !== 'opening' || this.stored) return '';
    return brief(this.phase.files.findLast((f) => f[half])?.[half] ?? '');
  }

  methodTitle(name: string): string {
    return this.methods.find((m) => m.name === name)?.title ?? name;
  }
}

const state = new Session();

/** The session, to be read. */
export const session: Readonly<Session> = state;

const now = () => performance.now();

/** Files begin to be opened. The function that it returns ends that. */
export function beginOpening(files: OpeningFiles): () => void {
  const entry = { ...files };
  state.phase = machine.begin(state.phase, entry, now());
  return () => void (state.phase = machine.finish(state.phase, entry));
}

let resolveStart = () => {};
/** Resolves when the engine has started, or could not be started. */
export const engineStart = new Promise<void>((done) => (resolveStart = done));

/** The example, which the page opens by itself, is there or will not be. */
export function endStart(): void {
  state.phase = machine.finish(state.phase, machine.example);
  resolveStart();
}

/** A stage went on; a `total` of 0 is not known. */
export function advance(stage: Stage, done = 0, total = 0): void {
  state.phase = machine.advance(state.phase, stage, done, total, now());
}

/** Both a model and a bag are open, or one is missing. */
export const hold = (complete: boolean) => void (state.phase = machine.hold(state.phase, complete));
export const beginExplaining = () => void (state.phase = machine.explain(state.phase, now()));
export const endExplaining = () => void (state.phase = machine.explained(state.phase));

/** A message of several lines without hidden characters: it may quote names from files. */
const shown = (text: string) => text.split('\n').map(visible).join('\n');
const safe = (problem: Problem) => ({ ...problem, text: shown(problem.text) });

/** Something failed; the page says so. */
export function fail(during: 'starting' | 'opening' | 'explaining', problem: Problem): void {
  state.phase = machine.fail(state.phase, during);
  state.problem = safe(problem);
}

/** Says what is wrong and stops nothing. */
export const warn = (problem: Problem) => void (state.problem = safe(problem));

/** Removes the problem. */
export function dismiss(): void {
  state.phase = machine.dismiss(state.phase);
  state.problem = null;
}

/** Removes what the page says. */
export function clearMessages(): void {
  dismiss();
  state.notice = '';
}

/** Shows a sentence until the user closes it; '' removes it. */
export function notify(sentence: string): void {
  state.notice = shown(sentence);
  if (sentence) state.announcement = state.notice;
}

/** Says what was removed or restored, until the user closes it; '' removes it. */
export const sayMoved = (sentence: string) => void (state.moved = sentence);

/** Says a sentence to those who do not see the page change. */
export const announce = (sentence: string) => void (state.announcement = shown(sentence));

/** Does something short while the page says that it is busy. */
export async function whileBusy<T>(work: () => Promise<T>): Promise<T> {
  state.pending++;
  try {
    return await work();
  } finally {
    state.pending--;
  }
}

/** Shows or hides the stored explanation of the example. */
export const showStored = (on: boolean) => void (state.stored = on);
export const useNetwork = (key: string) => void (state.network = key);

export function useEngine(engine: Engine): void {
  state.engine = engine;
  resolveStart();
}

/** Offers what the engine can do. */
export function offerMethods({ methods, settings }: Engine): void {
  state.methods = methods;
  state.dataSettings = settings;
}

let resolveExtras = () => {};
/** Resolves when the code that the first screen does not need is there, or will not be. */
export const extrasStart = new Promise<void>((done) => (resolveExtras = done));

export function useExtras(extras: Extras | null): void {
  state.extras = extras;
  resolveExtras();
}
export const markSealed = () => void (state.sealed = true);
