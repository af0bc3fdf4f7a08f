// Asking the engine: predictions and explanations of the open bag. A newer question makes an older
// one moot.
import { BagscopeError, type Prediction } from 'bagscope';
import { modelRefusal } from '../state/choices';
import { follow, followed, stopFollowing } from './prediction';
import { isCancelled } from '../state/problem';
import { output, request } from './request';
import { cancelTrust, measureTrust } from './trust';
import {
  answer,
  clearAnswers,
  hasPrediction,
  putPlan,
  putPrediction,
  putExplained,
  putSlow,
  putTogether,
} from '../state/answer.svelte';
import { loaded } from '../state/document.svelte';
import {
  advance,
  announce,
  beginExplaining,
  dismiss,
  endExplaining,
  fail,
  session,
} from '../state/session.svelte';
import { excluded, putUsual, question } from '../state/question.svelte';
import { vectorOf } from '../state/vector';
import { selectFirst, view } from '../state/view.svelte';
import { look as words } from '../../strings';
import { noun } from '../state/noun';

/** Milliseconds of an explanation up to which its trust is measured without being asked for. */
const MEASURED_AT_ONCE = 3000;

let predicting: AbortController | null = null;
let explaining: AbortController | null = null;
let waiting: ReturnType<typeof setTimeout> | undefined;
/** When the last explanation began, in milliseconds as performance.now() gives them. */
let started = 0;

// A message about a file stays: it is the cause of what follows.
function tell(error: unknown, kept = ''): void {
  if (session.problem && !session.problem.untilExplained) endExplaining();
  else {
    const problem = modelRefusal(error, loaded.modelSource, kept);
    const unfit = error instanceof BagscopeError && error.kind === 'bag';
    fail('explaining', { ...problem, unfit, untilExplained: true });
  }
}

/**
 * Predicts the whole bag, and what remains of it, without an explanation. Returns whether the model
 * takes the bag.
 */
export async function predict(): Promise<boolean> {
  const { model, bag } = loaded;
  predicting?.abort();
  if (!model || !bag) return false;
  const mine = (predicting = new AbortController());
  const { signal } = mine;
  try {
    const began = performance.now();
    const onProgress = (done: number, total: number) => {
      if (predicting === mine) advance('encoding', done, total);
    };
    const whole = await model.predict(bag, { ...output(), signal, onProgress });
    if (signal.aborted) return false;
    putPrediction(whole, performance.now() - began);
    await follow();
    return !signal.aborted;
  } catch (error) {
    if (predicting !== mine) return false;
    if (isCancelled(error)) {
      endExplaining();
      return false;
    }
    clearAnswers();
    tell(error, words.messages.both);
    return false;
  }
}

/** Predicts the whole bag by all of several models, while one of them is explained. */
export async function predictTogether(): Promise<void> {
  const { models, bag } = loaded;
  if (models.length === 0 || !bag) return;
  const prediction = await models[0]!.predict(bag, output()).catch(() => null);
  if (prediction && loaded.bag === bag && loaded.models === models) putTogether(prediction);
}

/** Predicts and explains again, after what is asked for changed. */
export async function reask(): Promise<void> {
  beginExplaining();
  // An explanation of what remains does not predict the whole bag.
  if (excluded().length === 0) await explain(true);
  else if (await predict()) await explain();
}

/** Milliseconds of an explanation up to which each change of the bag is explained by itself. */
const EXPLAINED_AT_ONCE = 5000;

/**
 * Explains the bag soon after what is removed changed. It waits for a button if the same
 * explanation took long before, or was stopped before it was there.
 */
export function explainChange(): void {
  const running = session.explaining ? performance.now() - started : Infinity;
  if ((answer.explanationTime ?? running) < EXPLAINED_AT_ONCE) explainSoon();
}

/** Explains soon, so that several quick changes are one question. */
export function explainSoon(): void {
  clearTimeout(waiting);
  if (!session.explaining) started = performance.now();
  beginExplaining();
  waiting = setTimeout(() => void explain(), 120);
}

/**
 * Explains the open bag as the form says, and predicts it with the same request if `predicts` is
 * true. The old explanation stays until the new one is there.
 */
export async function explain(predicts = false): Promise<void> {
  clearTimeout(waiting);
  const { model, bag } = loaded;
  explaining?.abort();
  if (predicts) predicting?.abort();
  if (!model || !bag || !(predicts || hasPrediction())) return endExplaining();
  // The page asks what a vector is compared with.
  if (vectorOf(model) === 'alone') {
    if (predicts) await predict();
    return endExplaining();
  }
  cancelTrust();
  const began = (started = performance.now());
  let encoded = began;
  const { choice } = question;
  const controller = (explaining = new AbortController());
  const current = () => explaining === controller;
  const { stored } = session; // the stored prediction of the example stands until its explanation
  const early: { put?: () => void } = {};
  const onPrediction = (prediction: Prediction) => {
    if (!current()) return;
    const milliseconds = performance.now() - began;
    early.put = () => putPrediction(prediction, milliseconds);
    if (!stored) early.put();
  };
  putSlow('');
  beginExplaining();
  try {
    const report = await model.explain(bag, {
      ...request(),
      signal: controller.signal,
      onProgress: (done, total, of) => {
        if (current()) advance(of === 'instances' ? 'encoding' : 'explaining', done, total);
      },
      ...(predicts ? { onPrediction } : {}),
      onNote: (sentence) => {
        if (current()) putSlow(sentence);
      },
      onPlan: (plan) => {
        if (!current()) return;
        putPlan(plan);
        encoded = performance.now();
        if (predicts) void follow();
      },
    });
    if (!current()) return;
    if (stored) early.put?.();
    const [first] = report.explanations;
    if (!choice.method && first) putUsual(first.method);
    putExplained(report, { choice, milliseconds: performance.now() - encoded });
    if (session.problem?.untilExplained) dismiss();
    // Measuring takes as long as several explanations: after a long one it waits for a button. It
    // is asked for behind the drawing.
    if (performance.now() - began < MEASURED_AT_ONCE)
      setTimeout(() => {
        if (!explaining) void measureTrust();
      });
    if (session.opening) return;
    await followed(); // the strongest instance is that of the class which the rest of the bag has
    if (!current()) return;
    const most = strongest();
    if (most) selectFirst(most.instance);
    announce(most ? words.messages.explained(most.words) : words.messages.unclear);
  } catch (error) {
    if (!current()) return;
    if (isCancelled(error)) announce(words.messages.cancelled);
    else if (!predicts || early.put || (await predict()))
      tell(error, answer.report ? words.messages.before : '');
  } finally {
    if (current()) {
      explaining = null;
      endExplaining();
    }
  }
}

/** Stops the running prediction and explanation. */
export function cancel(): void {
  clearTimeout(waiting);
  if (explaining) explaining.abort();
  else {
    predicting?.abort();
    endExplaining();
  }
}

/** Stops everything, before a model or a bag is replaced. */
export function cancelAll(): void {
  predicting?.abort();
  stopFollowing();
  cancelTrust();
  clearTimeout(waiting);
  explaining?.abort();
  predicting = explaining = null;
  endExplaining();
}

/**
 * The instance with the largest evidence about the predicted class; null where no score is
 * evidence.
 */
function strongest(): { instance: number; words: string } | null {
  const e = view.leading;
  if (!e || !answer.report) return null;
  let best: { instance: number; size: number } | null = null;
  for (const instance of answer.report.instances) {
    const { evident, difference } = view.reading(e, instance);
    const size = Math.abs(difference);
    if (evident && !(size <= (best?.size ?? 0))) best = { instance, size };
  }
  if (!best) return null;
  const { instance } = best;
  return {
    instance,
    words: words.sentence(noun(), instance, answer.className(e.class), view.reading(e, instance)),
  };
}
