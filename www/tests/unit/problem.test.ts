import { BagscopeError } from 'bagscope';
import { expect, test } from 'vitest';
import { fieldsFor, FieldError } from '../../src/look/state/fields';
import { describe, isCancelled } from '../../src/look/state/problem';

test('an error of the engine is a sentence, followed by what is left', () => {
  const error = new BagscopeError('unsupported', 'node "lstm" needs the operator LSTM of opset 14');
  expect(describe(error, 'old.onnx is still open.')).toEqual({
    title: 'The model or the file is of a kind that is not supported',
    text: 'Node "lstm" needs the operator LSTM of opset 14. old.onnx is still open.',
    retry: false,
  });
});

test('an exceeded limit names no option of the npm package', () => {
  const reason = 'a.npy: it holds 9 instances; the limit is 8';
  const message = `${reason}; the option limits.instances raises the limit`;
  expect(describe(new BagscopeError('limit', message, { reason })).text).toBe(
    `${reason}; the command line can raise the limit.`,
  );
});

test('a fault of ours offers to try again', () => {
  expect(describe(new BagscopeError('internal', 'the engine stopped')).retry).toBe(true);
  expect(describe(new TypeError('x is undefined')).retry).toBe(true);
  expect(describe('odd').text).toBe('odd.');
});

test('a sentence begins with a capital, the name of a file as it is', () => {
  const text = (message: string) => describe(new BagscopeError('format', message)).text;
  expect(text('the file is empty')).toBe('The file is empty.');
  expect(text('bad.csv, row 3: "oops" is not a number')).toBe(
    'bad.csv, row 3: "oops" is not a number.',
  );
});

test('a wrong field is named', () => {
  const problem = describe(new FieldError(fieldsFor(['alpha'])[0]!, 'needs at most 1'));
  expect(problem.text).toBe('Alpha: needs at most 1.');
});

test('what somebody stopped is no problem', () => {
  expect(isCancelled(new BagscopeError('cancelled', 'stopped'))).toBe(true);
  expect(isCancelled(new DOMException('stopped', 'AbortError'))).toBe(true);
  expect(isCancelled(new BagscopeError('format', 'bad'))).toBe(false);
});
