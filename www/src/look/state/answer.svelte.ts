// The answer: what the engine computed of the open model and bag. Only this module writes it.
import type { Explanation, Judged, Plan, Prediction, Report, Trust } from 'bagscope';
import { brief } from './brief';
import { doc, nameClasses } from './document.svelte';
import { question, type Choice, type Comparison } from './question.svelte';
import { session } from './session.svelte';
import type { BatchRow } from './types';

/** The prediction without the instances that were removed. */
export interface Remaining {
  /** A value for each class, in the unit of the whole bag's prediction. */
  readonly values: readonly number[];
  readonly curves: Prediction['curves'];
  readonly removed: readonly number[];
}

/** What the bag as it is now loses without an instance. */
export interface Missed {
  /** The explanation whose class and unit it has. */
  readonly of: Explanation;
  readonly removed: readonly number[];
  readonly instance: number;
  readonly loss: number;
  /** Whether the score has the other sign. */
  readonly opposed: boolean;
}

/** How long an explanation took behind the encoding of the bag, and which one it was. */
export interface Took {
  readonly choice: Choice;
  readonly milliseconds: number;
}

/** Many bags, one after another. */
export interface Batch {
  readonly rows: readonly BatchRow[];
  readonly total: number;
  readonly running: boolean;
}

class AnswerState {
  prediction = $state.raw<Prediction | null>(null);
  /** The prediction of several models and their mean; null for one model. */
  together = $state.raw<Prediction | null>(null);
  remaining = $state.raw<Remaining | null>(null);
  /** How long the last prediction of a whole bag took, in milliseconds. */
  predictionTime = $state(0);
  plan = $state.raw<Plan | null>(null);
  /** How long the running explanation takes, and what would be quicker; '' if it takes little. */
  slow = $state('');
  report = $state.raw<Report | null>(null);
  took = $state.raw<Took | null>(null);
  trust = $state.raw<{ of: Report; trust: readonly Trust[] } | null>(null);
  /** Whether the trust is being measured. */
  trusting = $state(false);
  judged = $state.raw<{ of: Report; judged: Judged } | null>(null);
  /** How far the measurement of faithfulness is; null if none is under way. */
  judging = $state.raw<{ done: number; total: number } | null>(null);
  batch = $state.raw<Batch | null>(null);
  missed = $state.raw<Missed | null>(null);
}

const state = new AnswerState();
let batchRun: AbortController | null = null;

/** The answer as the page shows it: nothing while other files are being opened. */
class AnswerView {
  get prediction(): Prediction | null {
    return session.opening ? null : state.prediction;
  }
  get together(): Prediction | null {
    return session.opening ? null : state.together;
  }
  /** The prediction without the instances that are removed; null if none is. */
  get remaining(): Remaining | null {
    return session.opening ? null : state.remaining;
  }
  get predictionTime(): number {
    return state.predictionTime;
  }
  /** How coalitions of the bag are evaluated. */
  get plan(): Plan | null {
    return session.opening ? null : state.plan;
  }
  get slow(): string {
    return session.explaining ? state.slow : '';
  }
  get report(): Report | null {
    return session.opening ? null : state.report;
  }
  /** Milliseconds that the report took; null without one, and if another one is wanted now. */
  get explanationTime(): number | null {
    return state.report && state.took?.choice === question.choice ? state.took.milliseconds : null;
  }
  /** How far the report can be trusted; null until that is measured. */
  get trust(): readonly Trust[] | null {
    return this.report && state.trust?.of === this.report ? state.trust.trust : null;
  }
  get trusting(): boolean {
    return state.trusting;
  }
  /** How faithful the report is; null until that is measured. */
  get judged(): Judged | null {
    return this.report && state.judged?.of === this.report ? state.judged.judged : null;
  }
  get judging(): { done: number; total: number } | null {
    return session.opening ? null : state.judging;
  }
  get batch(): Batch | null {
    return session.openingModel || session.openingBag ? null : state.batch;
  }
  /** The bags that were explained together with the open one, itself included; [] if none were. */
  bagsBeside = $derived.by<readonly BatchRow[]>(() => {
    const files = doc.bagSource?.files ?? [];
    const here = (r: BatchRow) => r.index === doc.index && r.files.every((f, n) => f === files[n]);
    return this.batch && !this.batch.running && this.batch.rows.some(here) ? this.batch.rows : [];
  });

  get missed(): Missed | null {
    return session.opening ? null : state.missed;
  }

  #own = $derived<readonly string[]>(this.prediction?.classes ?? doc.model?.info.classes ?? []);
  /** Class names of the open model, or those that the user gave. */
  classes = $derived(this.#own.map((name, c) => doc.classNames?.[c] ?? name));
  probability = $derived(this.prediction?.output === 'prob');
  /** Whether some class has a unit that the model card states. */
  own = $derived(
    this.prediction?.units.some((u) => !['probability', 'logit', 'score'].includes(u)) ?? false,
  );
  /** The class with the highest value for the whole bag; -1 without a prediction. */
  predicted = $derived(highest(this.prediction, this.prediction?.prediction));
  /** The same without the removed instances. */
  predictedNow = $derived(
    this.remaining ? highest(this.prediction, this.remaining.values) : this.predicted,
  );
  /** Names of the methods in the report, in its order. */
  methods = $derived([...new Set(this.report?.explanations.map((e) => e.method) ?? [])]);

  #position = $derived(new Map(this.report?.instances.map((instance, at) => [instance, at])));

  /** The index of an instance of the bag among the explained ones; -1 if it was not explained. */
  position(instance: number): number {
    return this.#position.get(instance) ?? -1;
  }

  /** The same as a function, for all instances of a bag. */
  get positions(): (instance: number) => number {
    const at = this.#position;
    return (instance) => at.get(instance) ?? -1;
  }

  /** The name of a class as the model has it. */
  ownName(c: number): string {
    return this.#own[c] ?? '';
  }

  /** The unit of a class's prediction. */
  unit(c: number): string {
    return this.prediction?.units[c] ?? '';
  }

  /** The name of a class as the page shows it. */
  className(c: number): string {
    return brief(this.classes[c] ?? `class ${c}`);
  }

  /** Explanations of all classes by a method. */
  by(method: string | null): Explanation[] {
    return this.report?.explanations.filter((e) => e.method === method) ?? [];
  }

  /** The explanation that a comparison names; null if the report does not hold it. */
  of({ method, class: c }: Comparison): Explanation | null {
    return this.report?.explanations.find((e) => e.method === method && e.class === c) ?? null;
  }
}

/** The class with the highest value in the unit of the first; -1 without a prediction. */
export function highest(p: Prediction | null, values: readonly number[] = []): number {
  if (!p || values.length === 0) return -1;
  // Numbers of other units than the first class's are not comparable with it.
  return values.reduce(
    (best, x, c) => (p.units[c] === p.units[0] && x > values[best]! ? c : best),
    0,
  );
}

/** The answer, to be read. */
export const answer: Readonly<AnswerView> = new AnswerView();

/** The prediction of the whole bag. What remained of the bag before is removed. */
export function putPrediction(prediction: Prediction, milliseconds: number): void {
  state.prediction = prediction;
  if (doc.models.length > 0 && doc.which === 0) state.together = prediction;
  else if (prediction.output !== state.together?.output) state.together = null;
  state.predictionTime = milliseconds;
  state.remaining = null;
}

/** The prediction of several models, while one of them is explained. */
export const putTogether = (together: Prediction) => void (state.together = together);

/** The prediction without the removed instances; null removes it. */
export const putRemaining = (remaining: Remaining | null) => void (state.remaining = remaining);

/** Whether the whole bag is predicted, also while other files are being opened. */
export const hasPrediction = (): boolean => state.prediction !== null;

/** The stored prediction of the example. */
export const putStored = (prediction: Prediction) => void (state.prediction = prediction);

export const putPlan = (plan: Plan) => void (state.plan = plan);
export const putSlow = (sentence: string) => void (state.slow = sentence);

/** An explanation, and how long it took. */
export function putExplained(report: Report, took: Took): void {
  [state.report, state.took] = [report, took];
}

/**
 * Removes what was computed of the bag. The stored prediction stays until the example's own is
 * there.
 */
export function clearAnswers(): void {
  [state.remaining, state.plan, state.report, state.together] = [null, null, null, null];
  if (!session.stored) state.prediction = null;
}

/** Names a class; an empty name gives it back that of the model. */
export const nameClass = (c: number, name: string) =>
  nameClasses(answer.classes.map((old, i) => (i === c ? name.trim() || answer.ownName(c) : old)));

export const putMissed = (missed: Missed) => void (state.missed = missed);
export const beginTrusting = () => void (state.trusting = true);
export const endTrusting = () => void (state.trusting = false);

/** The trust of a report, unless another report has replaced it. */
export function putTrust(of: Report, trust: readonly Trust[]): void {
  if (state.report === of) state.trust = { of, trust };
}

/** How far the measurement of faithfulness is; null ends it. */
export function putJudging(progress: { done: number; total: number } | null): void {
  state.judging = progress;
}

/** The faithfulness of a report, unless another report has replaced it. */
export function putJudged(of: Report, judged: Judged): void {
  if (state.report === of) state.judged = { of, judged };
}

/** Begins a run over many bags and ends the one before. */
export function beginBatch(): AbortSignal {
  batchRun?.abort();
  batchRun = new AbortController();
  return batchRun.signal;
}

/** The rows of the run that the signal belongs to, unless another has begun. */
export function putBatch(run: AbortSignal, batch: Batch): void {
  if (batchRun?.signal === run) state.batch = batch;
}

/** Stops the run over many bags; its rows stay. */
export const cancelBatch = () => batchRun?.abort();

/** Stops the run over many bags and removes its rows. */
export function dropBatch(): void {
  batchRun?.abort();
  [state.batch, batchRun] = [null, null];
}
