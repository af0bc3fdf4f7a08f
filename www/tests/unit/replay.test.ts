// A replay file names the array that was chosen and its version; files written before have none.
import { expect, test } from 'vitest';
import {
  differing,
  MOST_BYTES,
  readReplay,
  replayJSON,
  VersionError,
} from '../../src/look/open/replay';

const replay = {
  engine: '0.1.0',
  model: { name: 'a.onnx', sha256: null },
  folds: [{ name: 'b.onnx', sha256: null, card: '{}' }],
  card: null,
  inputs: { age: [63], stage: [0, 1] },
  data: [{ name: 'a.h5', sha256: null }],
  patch: null,
  array: 'uni/features',
  names: { 3: 'a vessel', 0: 'ink' },
  link: '',
  options: {},
};

test('the chosen array comes back from a replay file', () => {
  expect(readReplay(replayJSON(replay))).toEqual({ format: 'bagscope-replay', ...replay });
});

test('a replay file has a version, and one of another version is refused', () => {
  const saved = JSON.parse(replayJSON(replay)) as Record<string, unknown>;
  expect(saved.version).toBe(1);
  for (const version of [2, 0, '1', null])
    expect(() => readReplay(JSON.stringify({ ...saved, version }))).toThrow(VersionError);
  delete saved.version;
  expect(readReplay(JSON.stringify(saved))).not.toBeNull();
});

test('a replay file without an array or a card of a fold, or with a wrong one, has none', () => {
  const { array: _, ...older } = JSON.parse(replayJSON(replay)) as Record<string, unknown>;
  expect(readReplay(JSON.stringify(older))?.array).toBeNull();
  const folds = [{ name: 'b.onnx', sha256: null }];
  expect(readReplay(JSON.stringify({ ...older, folds }))?.folds[0]?.card).toBeNull();
  expect(readReplay(JSON.stringify({ ...older, array: 7 }))?.array).toBeNull();
});

test('names of instances come back, and others than texts are refused', () => {
  const { names, ...older } = JSON.parse(replayJSON(replay)) as Record<string, unknown>;
  expect(names).toEqual({ 0: 'ink', 3: 'a vessel' });
  expect(readReplay(JSON.stringify(older))?.names).toBeNull();
  for (const wrong of [['ink', 3], { 0: 7 }, 'ink'])
    expect(() => readReplay(JSON.stringify({ ...older, names: wrong }))).toThrow('parts missing');
});

test('hashes decide whether files are the same, and names where a hash is missing', () => {
  const at = (name: string, sha256: string | null) => ({ name, sha256 });
  const saved = readReplay(
    replayJSON({
      ...replay,
      model: at('m.onnx', 'a'.repeat(64)),
      folds: [],
      data: [at('1.npy', 'b'.repeat(64)), at('2.npy', null)],
    }),
  )!;
  const [one, two] = [at('renamed.npy', 'b'.repeat(64)), at('2.npy', 'c'.repeat(64))];
  const model = at('renamed.onnx', 'a'.repeat(64));
  const none = { model: false, data: false };
  expect(differing(saved, [model], [two, one])).toEqual(none);
  expect(differing(saved, [at('m.onnx', null)], [one, two])).toEqual(none);
  expect(differing(saved, [at('m.onnx', 'd'.repeat(64))], [one, two]).model).toBe(true);
  expect(differing(saved, [], [one, two]).model).toBe(true);
  const several = { ...saved, folds: [{ ...at('n.onnx', null), card: null }] };
  expect(differing(several, [at('n.onnx', null), model], [one, two])).toEqual(none);
  for (const models of [[model], [model, model], [model, at('n.onnx', null), model]])
    expect(differing(several, models, [one, two]).model).toBe(true);
  const other = { model: false, data: true };
  expect(differing(saved, [model], [one])).toEqual(other);
  expect(differing(saved, [model], [one, two, two])).toEqual(other);
  expect(differing(saved, [model], [at('1.npy', 'e'.repeat(64)), two])).toEqual(other);
  expect(differing(saved, [model], [one, at('3.npy', null)])).toEqual(other);
});

test.each<[string, Record<string, unknown> | string]>([
  ['not JSON', '{'],
  ['nothing', 'null'],
  ['another format', '{"format": "bagscope-replay-2"}'],
  ['a format by the prototype', '{"__proto__": {"format": "bagscope-replay"}}'],
  ['nested too deep', '['.repeat(1e6)],
  ['nested deep', `${'['.repeat(1e5)}${']'.repeat(1e5)}`],
])('%s is no replay file', (_, text) => {
  expect(readReplay(String(text))).toBeNull();
});

const hash = 'a'.repeat(64);

test.each<[string, Record<string, unknown>]>([
  ['a hash in a list', { model: { name: 'a.onnx', sha256: [hash] } }],
  ['a hash in capitals', { model: { name: 'a.onnx', sha256: hash.toUpperCase() } }],
  ['a model without a name', { model: { name: { toString: 1 }, sha256: hash } }],
  ['no model', { model: null }],
  ['data that are no list', { data: { length: 1, 0: { name: 'x', sha256: null } } }],
  ['further models that are no list', { folds: { length: 0 } }],
  ['a further model without a name', { folds: [{ sha256: null }] }],
  ['no data', { data: [] }],
  ['data of the wrong kind', { data: Array.from({ length: 1e5 }, () => null) }],
  ['a link of the wrong kind', { link: ['method=milli'] }],
  ['options in a list', { options: ['x'] }],
  ['options of the wrong kind', { options: { samples: { toString: '7' } } }],
  ['inputs in words', { inputs: { age: '63' } }],
  ['an input in words', { inputs: { age: ['63'] } }],
  ['an input without end', { inputs: { age: ['1e999'] } }],
  ['an input without numbers', { inputs: { age: [] } }],
  ['inputs in a list', { inputs: [63] }],
  ['a patch in words', { patch: 'large' }],
  ['a patch in a list', { patch: [256] }],
  ['a side in words', { patch: { size: '256' } }],
  ['a negative side', { patch: { size: -1 } }],
  ['a side without end', { patch: { size: '1e999' } }],
])('a replay file with %s is incomplete', (_, part) => {
  // JSON has no infinity, but 1e999 is read as one.
  const text = JSON.stringify({ format: 'bagscope-replay', ...replay, ...part });
  expect(() => readReplay(text.replace('"1e999"', '1e999'))).toThrow('parts missing');
});

test('a replay file without further models is of one model', () => {
  const { folds: _, ...older } = JSON.parse(replayJSON(replay)) as Record<string, unknown>;
  expect(readReplay(JSON.stringify(older))?.folds).toEqual([]);
});

test('a fold has its own card, or none; in files without cards of folds all have the first', () => {
  const read = (fold: object, card: string | null) =>
    readReplay(JSON.stringify({ format: 'bagscope-replay', ...replay, card, folds: [fold] }))!;
  const fold = { name: 'b.onnx', sha256: null };
  expect(read({ ...fold, card: '{}' }, '[]').folds[0]!.card).toBe('{}');
  expect(read({ ...fold, card: null }, '[]').folds[0]!.card).toBeNull();
  expect(read(fold, '[]').folds[0]!.card).toBe('[]');
  expect(read(fold, null).folds[0]!.card).toBeNull();
});

test('of a replay file only the known keys are taken over', () => {
  const text = JSON.stringify({
    format: 'bagscope-replay',
    ...replay,
    engine: { toString: 1 },
    more: 1,
    model: { ...replay.model, more: 1 },
    data: [{ ...replay.data[0], more: 1 }],
    patch: { size: 2, more: 1 },
  }).replace('"more":1', '"__proto__":{"polluted":"yes"}');
  const read = readReplay(text)!;
  expect(read).toEqual({ format: 'bagscope-replay', ...replay, engine: '', patch: { size: 2 } });
  expect('polluted' in read).toBe(false);
  const options = readReplay(
    JSON.stringify({ format: 'bagscope-replay', ...replay }).replace(
      '"options":{}',
      '"options":{"__proto__":"polluted","constructor":"x"}',
    ),
  )!.options;
  expect('polluted' in { ...{}, ...options }).toBe(false);
  expect(Object.getPrototypeOf({ ...options })).toBe(Object.prototype);
});

test('a text that is as long as a replay file may be is read or refused', () => {
  const long = 'x'.repeat(MOST_BYTES);
  expect(readReplay(JSON.stringify(long))).toBeNull();
  const name = `<img src=x onerror=alert(1)>${long}`;
  const read = readReplay(replayJSON({ ...replay, data: [{ name, sha256: null }] }));
  expect(read?.data[0]?.name).toBe(name);
});
