// The questions to the engine, with an engine of a few lines in its place.
import {
  BagscopeError,
  type Bag,
  type Engine,
  type ExplainOptions,
  type Model,
  type Plan,
  type Prediction,
  type Report,
} from 'bagscope';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { cancel, explain, explainSoon, predict, reask } from '../../src/look/explain/explanation';
import { linkOf } from '../../src/look/open/link';
import { request } from '../../src/look/explain/request';
import { putAllBack, toggle, undo } from '../../src/look/whatif/removal';
import { answer, clearAnswers } from '../../src/look/state/answer.svelte';
import { loaded, replaceBag, replaceModel } from '../../src/look/state/document.svelte';
import {
  choose,
  chooseOption,
  putUsual,
  question,
  removeExactly,
} from '../../src/look/state/question.svelte';
import {
  dismiss,
  endStart,
  offerMethods,
  session,
  warn,
} from '../../src/look/state/session.svelte';
import { select, view } from '../../src/look/state/view.svelte';

const names = { instanceNames: [], featureNames: [] };
const bag = { name: 'b', instances: 3, ...names, close() {} } as unknown as Bag;
const methods = [
  { name: 'milli', title: 'MILLI', summary: '', cost: 'k + n', options: ['samples', 'alpha'] },
  { name: 'single', title: 'Single', summary: '', cost: 'k', options: [] },
];

function report(options: ExplainOptions, scores: number[]): Report {
  const explanation = {
    method: 'single',
    settings: {},
    class: 0,
    scores,
    neutral: 0,
    evident: scores.map((s) => s !== 0),
    stderr: null,
    r2: null,
    evaluations: 3,
    notes: [],
  };
  const rest = {
    output: 'prob',
    skipped: [],
    evaluations: 3,
    notes: [],
    classes: [],
    covariates: [],
    coalitions: [],
  };
  const instances = [0, 1, 2].filter((i) => !options.without?.includes(i));
  return {
    prediction: [1],
    units: ['probability'],
    explanations: [explanation],
    seed: options.seed,
    instances,
    ...rest,
  } as unknown as Report;
}

const prediction = {
  prediction: [0, 1],
  units: ['probability', 'probability'],
  curves: [],
  classes: ['calm', 'alarm'],
  output: 'prob',
} as unknown as Prediction;

/** A model whose answers the test gives when it likes. */
function fake() {
  const asked: {
    options: ExplainOptions;
    answer(scores: number[]): void;
    fail(error: unknown): void;
  }[] = [];
  const model = {
    close() {},
    info: { classes: ['calm', 'alarm'] },
    predict: () => Promise.resolve(prediction),
    score: (_: Bag, bags: number[][]) =>
      Promise.resolve(bags.map((members) => [members.length / 8, 1 - members.length / 8])),
    explain: (_: Bag, options: ExplainOptions) =>
      new Promise<Report>((done, fail) => {
        // How far an answer can be trusted is measured behind it, and never known here.
        if (options.trust) return;
        options.signal?.addEventListener('abort', () =>
          fail(new BagscopeError('cancelled', 'the request was cancelled')),
        );
        asked.push({ options, fail, answer: (scores) => done(report(options, scores)) });
      }),
  };
  return { model: model as unknown as Model, asked };
}

let asked: ReturnType<typeof fake>['asked'];

beforeEach(async () => {
  const f = fake();
  asked = f.asked;
  endStart();
  replaceModel(f.model, { name: 'm.onnx', bytes: new Uint8Array() });
  replaceBag(bag, 0, null, '');
  removeExactly([]);
  dismiss();
  select(null);
  offerMethods({ methods, settings: [] } as unknown as Engine);
  choose({ method: 'milli', settings: '', options: {}, output: '', seed: '', reference: '' });
  expect(await predict()).toBe(true);
});

test('asks what the form says, and leaves to the engine what it does not say', async () => {
  choose({ settings: 'mnist', options: { samples: '50', alpha: '', beta: '3' }, seed: '7' });
  const done = explain();
  asked[0]!.answer([1, 2, 3]);
  await done;
  const { signal, onProgress, onPlan, onNote, ...options } = asked[0]!.options;
  expect(options).toEqual({ method: 'milli', settings: 'mnist', samples: 50, seed: 7 });
  expect(answer.report?.seed).toBe(7);
  expect(session.phase).toEqual({ at: 'ready' });
});

test('without a choice the model chooses the method, and the form shows it', async () => {
  choose({ method: '' });
  expect(question.name).toBe('consensus');
  const done = explain();
  expect(asked[0]!.options).not.toHaveProperty('method');
  asked[0]!.answer([1, 2, 3]);
  await done;
  expect(question.name).toBe('single');
  expect(linkOf().method).toBeUndefined();
});

test('options that are set belong to the method that the form shows', () => {
  putUsual('milli');
  choose({ method: '', options: { samples: '50' } });
  expect(request()).toMatchObject({ method: 'milli', samples: 50 });
});

test('one question predicts and explains, and says how', async () => {
  clearAnswers();
  const predicted = vi.spyOn(loaded.model!, 'predict');
  const done = reask();
  const { onPrediction, onPlan } = asked[0]!.options;
  expect(answer.prediction).toBeNull();
  onPrediction!(prediction);
  expect([answer.prediction, answer.report]).toEqual([prediction, null]);
  onPlan!({ strategy: 'mean' } as Plan);
  expect(answer.plan?.strategy).toBe('mean');
  asked[0]!.answer([1, 2, 3]);
  await done;
  expect(answer.report).not.toBeNull();
  expect([asked.length, predicted.mock.calls.length]).toEqual([1, 0]);
});

test('a question that fails before its prediction is told as the fault of its part', async () => {
  clearAnswers();
  const fault = new BagscopeError('setting', 'no such method');
  const asking = reask();
  asked[0]!.fail(fault);
  await asking;
  expect(answer.prediction).toEqual(prediction);
  expect(session.problem?.text).toBe('No such method.');
  clearAnswers();
  vi.spyOn(loaded.model!, 'predict').mockRejectedValue(new BagscopeError('bag', 'it is too small'));
  const again = reask();
  asked[1]!.fail(new BagscopeError('bag', 'it is too small'));
  await again;
  expect(answer.prediction).toBeNull();
  expect(session.problem?.text).toMatch(/^It is too small\. /);
});

test('only what remains is explained: the whole bag is predicted apart', async () => {
  removeExactly([1]);
  const done = reask();
  await vi.waitFor(() => expect(asked).toHaveLength(1));
  expect(asked[0]!.options.onPrediction).toBeUndefined();
  expect(asked[0]!.options.without).toEqual([1]);
  asked[0]!.answer([4, 5]);
  await done;
});

test('a newer question makes an older one moot', async () => {
  const first = explain();
  const second = explain();
  asked[1]!.answer([2, 2, 2]);
  asked[0]!.answer([1, 1, 1]);
  await Promise.all([first, second]);
  expect(answer.report?.explanations[0]?.scores).toEqual([2, 2, 2]);
  expect(session.problem).toBeNull();
});

test('quick changes are one question', async () => {
  vi.useFakeTimers();
  explainSoon();
  explainSoon();
  expect(session.phase.at).toBe('explaining');
  await vi.advanceTimersByTimeAsync(500);
  vi.useRealTimers();
  expect(asked).toHaveLength(1);
});

test('a cancelled question keeps the old answer, and says so', async () => {
  const first = explain();
  asked[0]!.answer([1, 2, -9]);
  await first;
  expect(view.selected).toBe(2); // the strongest one is shown first
  const second = explain();
  asked[1]!.options.onProgress?.(5, 10, 'evaluations');
  expect(session.progress).toMatchObject({ stage: 'explaining', done: 5, total: 10 });
  cancel();
  await second;
  expect(answer.report?.explanations[0]?.scores).toEqual([1, 2, -9]);
  expect(session.phase).toEqual({ at: 'ready' });
  expect(session.announcement).toMatch(/^Cancelled/);
  expect(session.problem).toBeNull();
});

test('an answer that fails keeps the old one and is told', async () => {
  const first = explain();
  asked[0]!.answer([1, 2, 3]);
  await first;
  const second = explain();
  asked[1]!.fail(
    new BagscopeError(
      'unavailable',
      'method inherent is not available: the model has no attention',
    ),
  );
  await second;
  expect(answer.report).not.toBeNull();
  expect(session.problem?.text).toBe(
    'Method inherent is not available: the model has no attention. The picture shows ' +
      'the previous explanation.',
  );
});

test('the next answer makes a fault of asking moot, no other fault', async () => {
  const failed = explain();
  asked[0]!.fail(new BagscopeError('setting', 'method: "x" is none of these'));
  await failed;
  expect(session.problem).not.toBeNull();
  const answered = explain();
  asked[1]!.answer([1, 2, 3]);
  await answered;
  expect(session.problem).toBeNull();
  const problem = { title: 'This file cannot be read', text: 'It is empty.' };
  warn(problem);
  const other = explain();
  asked[2]!.answer([1, 2, 3]);
  await other;
  expect(session.problem).toEqual(problem);
});

test('a wrong field asks nothing', async () => {
  chooseOption('samples', '1.5');
  await explain();
  expect(asked).toHaveLength(0);
  expect(session.problem?.text).toContain('Samples: must be a whole number');
  expect(session.phase).toMatchObject({ at: 'failed', keeps: 'ready' });
});

/** Explains the whole bag, in so many milliseconds behind its encoding. */
async function explainWhole(milliseconds: number): Promise<void> {
  const done = explain();
  asked[0]!.options.onPlan!({} as Plan);
  await vi.advanceTimersByTimeAsync(milliseconds);
  asked[0]!.answer([1, 2, 3]);
  await done;
}

describe('after a change of the bag', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('the rest is predicted at once and explained by itself, as is the whole bag after an undo', async () => {
    await explainWhole(4900);
    expect(asked[0]!.options.without).toBeUndefined();
    select(2);
    await toggle(1);
    expect(answer.remaining).toMatchObject({ removed: [1], values: [0.25, 0.75] });
    expect([view.stale, session.explaining, asked.length]).toEqual([true, true, 1]);
    await vi.advanceTimersByTimeAsync(200);
    expect(asked[1]!.options.without).toEqual([1]);
    asked[1]!.answer([4, 5]);
    await vi.advanceTimersByTimeAsync(0);
    expect([view.stale, session.explaining]).toEqual([false, false]);
    const e = answer.report!.explanations[0]!;
    expect([0, 1, 2].map((i) => view.score(e, i))).toEqual([4, NaN, 5]);
    expect(view.selected).toBe(2);
    await undo();
    expect(answer.remaining).toBeNull();
    await vi.advanceTimersByTimeAsync(200);
    expect(asked[2]!.options.without).toBeUndefined();
  });

  test('of quick changes the last one is explained, and a running explanation ends', async () => {
    await explainWhole(10);
    await toggle(1);
    await vi.advanceTimersByTimeAsync(200);
    const { signal } = asked[1]!.options;
    await toggle(2);
    await putAllBack();
    await toggle(0);
    await vi.advanceTimersByTimeAsync(200);
    expect(signal!.aborted).toBe(true);
    expect(asked.map((a) => a.options.without)).toEqual([undefined, [1], [0]]);
    cancel();
    await vi.advanceTimersByTimeAsync(0);
    // The scores stay those of the whole bag, and the page says so.
    expect([view.stale, session.explaining]).toEqual([true, false]);
  });

  test('what took long waits for a button', async () => {
    await explainWhole(5100);
    await toggle(1);
    await vi.advanceTimersByTimeAsync(1000);
    expect(answer.remaining?.removed).toEqual([1]);
    expect([view.stale, session.explaining, asked.length]).toEqual([true, false, 1]);
    expect(Math.round(answer.explanationTime! / 100)).toBe(51);
  });

  test('other options than those that were quick wait for a button, too', async () => {
    await explainWhole(10);
    chooseOption('samples', '4000000');
    await toggle(1);
    await vi.advanceTimersByTimeAsync(1000);
    expect([answer.explanationTime, asked.length]).toEqual([null, 1]);
  });

  test('an explanation that was never there is not begun, and a first one that runs begins anew', async () => {
    clearAnswers();
    await predict();
    await toggle(1);
    await vi.advanceTimersByTimeAsync(1000);
    expect(asked).toHaveLength(0);
    void explain();
    await toggle(2);
    await vi.advanceTimersByTimeAsync(200);
    expect(asked.map((a) => a.options.without)).toEqual([[1], [1, 2]]);
    await vi.advanceTimersByTimeAsync(6000);
    await toggle(2);
    await vi.advanceTimersByTimeAsync(1000);
    expect(asked).toHaveLength(2);
  });
});
