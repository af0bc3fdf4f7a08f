// Asking the engine: predictions and explanations of the open bag. A newer question makes an older one moot.
import type { ExplainOptions } from 'bagscope';
import { read } from './fields';
import { describe, isCancelled } from './problem';
import { look as words } from '../../strings';
import { ALL_METHODS, held, studio } from './state.svelte';
import { cancelTrust, measureTrust } from './trusting';

/** Milliseconds of an explanation up to which its trust is measured without being asked for. */
const MEASURED_AT_ONCE = 3000;

let predicting: AbortController | null = null;
let explaining: AbortController | null = null;
let waiting: ReturnType<typeof setTimeout> | undefined;

function output(): { output?: 'prob' | 'logit' } {
  return studio.choice.output ? { output: studio.choice.output as 'prob' | 'logit' } : {};
}

// What was wrong with a file stays said: it is the cause of what follows.
function tell(error: unknown, kept = ''): void {
  if (studio.problem && !studio.problem.asking) return;
  studio.problem = { ...describe(error, kept), asking: true };
}

/** Predicts the whole bag, and what is left of it. Returns whether the model takes the bag. */
export async function predict(): Promise<boolean> {
  const { model, bag, out } = held;
  predicting?.abort();
  if (!model || !bag) return false;
  const { signal } = (predicting = new AbortController());
  try {
    const began = performance.now();
    const whole = await model.predict(bag, { ...output(), signal });
    const took = performance.now() - began;
    const rest = out.length > 0 ? await model.predict(bag, { ...output(), without: out, signal }) : null;
    if (signal.aborted) return false;
    studio.took = took;
    [held.whole, held.rest] = [whole, rest && { prediction: rest, out }];
    return true;
  } catch (error) {
    if (isCancelled(error)) return false;
    held.forgetAnswers();
    tell(error, words.told.both);
    return false;
  }
}

/** Predicts and explains again, after what is asked for changed. */
export async function reask(): Promise<void> {
  if (!studio.poster) {
    if (await predict()) await explain();
    return;
  }
  // The example's stored prediction stands until its explanation is there, which need not wait for another.
  const { bag } = held;
  await explain();
  if (held.bag === bag) await predict();
}

/** Predicts what is left after instances went in or out. */
export async function predictRest(): Promise<void> {
  const { model, bag, out } = held;
  predicting?.abort();
  if (out.length === 0) held.rest = null;
  if (!model || !bag || out.length === 0) return;
  const { signal } = (predicting = new AbortController());
  try {
    const prediction = await studio.while(() => model.predict(bag, { ...output(), without: out, signal }));
    if (!signal.aborted) held.rest = { prediction, out };
  } catch (error) {
    if (!isCancelled(error)) tell(error);
  }
}

/** Explains soon, so that several quick changes are one question. */
export function explainSoon(): void {
  clearTimeout(waiting);
  studio.run ??= { done: 0, total: 0, of: 'evaluations' };
  waiting = setTimeout(() => void explain(), 120);
}

/** Explains the open bag as the form says. The old explanation stays until the new one is there. */
export async function explain(): Promise<void> {
  clearTimeout(waiting);
  const { model, bag } = held;
  explaining?.abort();
  studio.run = null;
  if (!model || !bag || !held.whole) return;
  cancelTrust();
  const began = performance.now();
  const controller = (explaining = new AbortController());
  const current = () => explaining === controller;
  studio.run = { done: 0, total: 0, of: 'evaluations' };
  try {
    const report = await model.explain(bag, {
      ...request(),
      signal: controller.signal,
      onProgress: (done, total, of) => {
        if (current()) studio.run = { done, total, of };
      },
    });
    if (!current()) return;
    held.report = report;
    if (studio.problem?.asking) studio.problem = null;
    // Measuring takes as long as several explanations: after a long one it waits for a button.
    if (performance.now() - began < MEASURED_AT_ONCE) void measureTrust();
    if (studio.opening) return;
    const most = strongest();
    studio.active ??= most?.instance ?? null;
    studio.said = most ? words.told.explained(most.words) : words.told.unclear;
  } catch (error) {
    if (!current()) return;
    if (isCancelled(error)) studio.said = words.told.cancelled;
    else tell(error, held.report ? words.told.before : '');
  } finally {
    if (current()) studio.run = explaining = null;
  }
}

/** Stops the running explanation. */
export function cancel(): void {
  clearTimeout(waiting);
  if (explaining) explaining.abort();
  else studio.run = null;
}

/** Stops everything, before a model or a bag is replaced. */
export function cancelAll(): void {
  predicting?.abort();
  cancelTrust();
  cancel();
  explaining = null;
  studio.run = null;
}

/** The chosen method, and with it the one that is drawn beside it. */
function methods(): string | string[] {
  const { choice, compare } = studio;
  if (!compare || choice.method === ALL_METHODS || compare.method === choice.method) return choice.method;
  return [choice.method, compare.method];
}

/** What the form asks of the engine. */
export function request(): ExplainOptions {
  const { choice, options } = studio;
  const seed = choice.seed.trim();
  return {
    method: methods() as ExplainOptions['method'],
    // A method without options has none that a data set could set.
    ...(choice.settings && options.length > 0
      ? { settings: choice.settings as ExplainOptions['settings'] }
      : {}),
    ...(read(options, choice.options) as Partial<ExplainOptions>),
    ...output(),
    ...(studio.left && held.out.length > 0 ? { without: held.out } : {}),
    seed: /^\d{16,20}$/.test(seed) ? BigInt(seed) : Number(seed || 0),
  };
}

/** The instance with the largest evidence about the predicted class, for or against; null where no score is evidence. */
function strongest(): { instance: number; words: string } | null {
  const e = studio.explanations.find((e) => e.class === studio.predicted) ?? studio.explanations[0];
  if (!e || !studio.report) return null;
  let best: { instance: number; size: number } | null = null;
  for (const instance of studio.report.instances) {
    const { evident, difference } = studio.reading(e, instance);
    const size = Math.abs(difference);
    if (evident && !(size <= (best?.size ?? 0))) best = { instance, size };
  }
  if (!best) return null;
  const { instance } = best;
  return {
    instance,
    words: words.sentence(instance, studio.className(e.class), studio.reading(e, instance)),
  };
}
