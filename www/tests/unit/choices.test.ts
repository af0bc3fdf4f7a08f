// What is offered after a refusal: arrays and strides as the engine lists them.
import { BagscopeError, type ModelInfo } from 'bagscope';
import { expect, test } from 'vitest';
import {
  answersOf,
  arraysOf,
  fits,
  modelRefusal,
  refusal,
  stridesOf,
} from '../../src/look/state/choices';

const refused = (arrays: string) => new BagscopeError('format', 'several', { arrays });

test('arrays are read from the lines of an error, whatever their names are', () => {
  expect(arraysOf(refused('uni/features (3512, 1024)\na (b) (2, 3)\nc'))).toEqual([
    { name: 'uni/features', shape: [3512, 1024] },
    { name: 'a (b)', shape: [2, 3] },
  ]);
  expect(arraysOf(new BagscopeError('format', 'broken', { file: 'a.h5' }))).toEqual([]);
  expect(arraysOf(new Error('anything'))).toEqual([]);
});

test('an array fits a model by the last sides of its shape', () => {
  const model = (...shape: number[]) =>
    ({ input: 'x', instanceAxis: 0, inputs: [{ name: 'x', shape }] }) as unknown as ModelInfo;
  const of = (...shape: number[]) => ({ name: 'a', shape });
  expect(fits(of(12, 4), model(-1, 4))).toBe(true);
  expect(fits(of(1, 12, 4), model(-1, 4))).toBe(true);
  expect(fits(of(12, 3), model(-1, 4))).toBe(false);
  expect(fits(of(12, 3), model(-1, 1))).toBe(false);
  expect(fits(of(4), model(-1, 4))).toBe(false);
  expect(fits(of(12, 7), model(-1, -1))).toBe(true);
  expect(fits(of(12, 4), null)).toBe(false);
});

test('strides are read from the lines of an error, with how many patches each makes', () => {
  const error = (strides: string) => new BagscopeError('limit', 'too many', { strides });
  expect(stridesOf(error('37 262144\n74 65536'))).toEqual([
    { stride: 37, count: 262_144 },
    { stride: 74, count: 65_536 },
  ]);
  for (const none of [error(''), new BagscopeError('limit', 'too large'), new Error('anything')])
    expect(stridesOf(none)).toEqual([]);
});

test('answers are read from the lines of an error, and each opens the files with its value', () => {
  const error = new BagscopeError('format', 'a.h5: ...', {
    file: 'a.h5',
    question: 'its values look like bits',
    option: 'dtype',
    answers: 'bfloat16\tthey are bfloat16\nstored\tthey are integers',
  });
  expect(answersOf(error)).toEqual([
    { value: 'bfloat16', meaning: 'they are bfloat16' },
    { value: 'stored', meaning: 'they are integers' },
  ]);
  const source = { name: 'a.h5', files: [], stated: { coordsUnit: 'px' } };
  const { text, asks, choices } = refusal(error, source, 2, null, 'kept.');
  expect([text, asks]).toEqual(['a.h5: its values look like bits. kept.', true]);
  expect(choices!.items).toEqual([
    {
      label: 'They are bfloat16',
      about: 'dtype: bfloat16',
      index: 2,
      source: { ...source, stated: { coordsUnit: 'px', dtype: 'bfloat16' } },
    },
    {
      label: 'They are integers',
      about: 'dtype: stored',
      index: 2,
      source: { ...source, stated: { coordsUnit: 'px', dtype: 'stored' } },
    },
  ]);
  for (const none of [new BagscopeError('format', 'broken'), new Error('anything')])
    expect(answersOf(none)).toEqual([]);
});

test('an error without answers offers strides if it has some, and else names the model', () => {
  const source = { name: 'a.png', files: [], patch: { size: 16 } };
  const model = { inputs: [] } as unknown as ModelInfo;
  const broken = new BagscopeError('format', 'broken', { file: 'a.png' });
  const plain = refusal(broken, source, 0, null, 'Kept.');
  expect(plain).toEqual({ title: expect.any(String), text: 'broken. Kept.', retry: false });
  expect(refusal(broken, source, 0, model, 'Kept.')).toEqual({ ...plain, unfit: true });
  const large = new BagscopeError('limit', 'too many', { strides: '32 4096' });
  expect(refusal(large, source, 3, model, '').choices!.items).toMatchObject([
    { index: 3, source: { ...source, patch: { size: 16, stride: 32 } } },
  ]);
});

test('a model without a pooling is offered with each of them in its card', () => {
  const error = new BagscopeError('unsupported', 'no scores', { operators: '', unpooled: true });
  const model = { name: 'm.onnx', bytes: new Uint8Array(), card: '{"classes":["a"]}' };
  const { asks, choices } = modelRefusal(error, model, '');
  expect(asks).toBe(true);
  expect(choices!.items[1]!.source).toBeNull();
  expect(JSON.parse(choices!.items[1]!.model!.card!)).toEqual({ classes: ['a'], pool: 'max' });
  expect(modelRefusal(error, null, '').choices).toBeUndefined();
  const missing = new BagscopeError('bag', 'takes a covariate', { bag: 'b', covariate: 'age' });
  expect(modelRefusal(missing, model, 'Kept.')).toEqual({
    title: 'What does the model take beside the bag?',
    text:
      'The model takes age of each bag, and this bag does not state it. Enter it above the ' +
      'picture. Kept.',
    asks: true,
  });
  const other = new BagscopeError('unsupported', 'no operator', { unpooled: false });
  expect(modelRefusal(other, model, '').choices).toBeUndefined();
});
