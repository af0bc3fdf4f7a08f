// The states of the page, and which may follow which.
import { expect, test } from 'vitest';
import {
  advance,
  begin,
  dismiss,
  example,
  explain,
  explained,
  fail,
  finish,
  hold,
  initial,
  type Phase,
} from '../../src/look/read/phase';

const files = (model: string, bag = '') => ({ model, bag });
const ready: Phase = { at: 'ready' };
const empty: Phase = { at: 'empty' };

test('the page starts by opening its example, and is ready when both halves are open', () => {
  expect(initial).toMatchObject({ at: 'opening', progress: { stage: 'starting' } });
  expect(finish(initial, example)).toEqual(empty);
  expect(finish(hold(initial, true), example)).toEqual(ready);
});

test('two openings end in any order; the page goes back when the last has ended', () => {
  const [a, b] = [files('a.onnx'), files('', 'b.npz')];
  const both = begin(begin(ready, a, 0), b, 1);
  expect(both.files).toEqual([a, b]);
  expect(finish(both, a)).toMatchObject({ at: 'opening', files: [b] });
  expect(finish(finish(both, b), a)).toEqual(ready);
});

test('an explanation that ends while files are opened is not explained again afterwards', () => {
  const a = files('a.onnx');
  const opening = begin(explain(ready, 0), a, 1);
  expect(finish(opening, a).at).toBe('explaining');
  expect(finish(explained(opening), a)).toEqual(ready);
});

test('nothing is explained without a model or without a bag', () => {
  expect(explain(empty, 0)).toEqual(empty);
  expect(explain(fail(empty, 'opening'), 0)).toMatchObject({ at: 'failed', keeps: 'empty' });
  expect(hold(explain(ready, 0), false)).toEqual(empty);
});

test('a failure keeps what was open, and is left by reading it or by explaining again', () => {
  const a = files('a.onnx');
  const failed = finish(fail(begin(ready, a, 0), 'opening'), a);
  expect(failed).toEqual({ at: 'failed', during: 'opening', keeps: 'ready' });
  expect(dismiss(failed)).toEqual(ready);
  expect(explain(failed, 0).at).toBe('explaining');
  expect(dismiss(fail(explain(ready, 0), 'explaining'))).toEqual(ready);
  expect(dismiss(hold(failed, false))).toEqual(empty);
});

test('without an engine the failure stays', () => {
  const failed = finish(fail(initial, 'starting'), example);
  expect(dismiss(failed)).toMatchObject({ at: 'failed', during: 'starting' });
});

test('progress belongs to the stage that is under way and keeps the time of its beginning', () => {
  const opening = begin(ready, files('a.onnx'), 5);
  const once = advance(opening, 'decoding', 1, 10, 7);
  const twice = advance(once, 'decoding', 4, 10, 9);
  expect(twice).toMatchObject({ progress: { stage: 'decoding', done: 4, total: 10, began: 7 } });
  expect(advance(twice, 'cutting', 0, 3, 11)).toMatchObject({
    progress: { stage: 'cutting', began: 11 },
  });
  // What is reported late changes nothing.
  expect(advance(opening, 'explaining', 1, 2, 6)).toBe(opening);
  expect(advance(ready, 'decoding', 1, 2, 6)).toBe(ready);
});
