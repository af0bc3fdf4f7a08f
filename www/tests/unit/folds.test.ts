// Several models as one, with an engine of a few lines in its place.
import { BagscopeError, type Bag, type Engine, type Model, type Prediction } from 'bagscope';
import { beforeEach, expect, test, vi } from 'vitest';
import { applyLink, linkOf } from '../../src/look/open/link';
import { openModel } from '../../src/look/open/modelfile';
import { closeSet, switchModel } from '../../src/look/open/openbag';
import { other } from '../../src/look/open/other.svelte';
import { cancelOpening, open } from '../../src/look/open/subject';
import { compareWithBag, compareWithOther } from '../../src/look/open/target';
import { setPixels } from '../../src/look/picture/pictureoptions';
import { replayFile } from '../../src/look/save/files';
import { answer, beginBatch, putBatch, putPrediction } from '../../src/look/state/answer.svelte';
import {
  closeModel,
  doc,
  loaded,
  openModels,
  replaceBag,
  replaceModel,
  replaceSet,
  useModel,
} from '../../src/look/state/document.svelte';
import { choose, removeExactly } from '../../src/look/state/question.svelte';
import { dismiss, endStart, session, useEngine } from '../../src/look/state/session.svelte';
import type { Bags, BagSource, ModelSource, Prepared } from '../../src/look/state/types';
import { nameConcepts, whatif } from '../../src/look/state/whatif.svelte';

/** Models and bags that are open. */
let live: { name: string }[];
const names = () => live.map(({ name }) => name);
/** The cards that models were opened with. */
let cards: (string | undefined)[];
/** What a model does when it explains. */
let explains: () => Promise<unknown>;

const answered = (name: string) =>
  ({
    ...{ prediction: [1], units: ['score'], curves: [], classes: ['calm'], output: 'logit' },
    outputs: [{ name: 'vector', data: [name.length] }],
    folds: [],
  }) as unknown as Prediction;

/** Counts a model or a bag as open. Returns its `close`. */
function opened(name: string) {
  const one = { name };
  live.push(one);
  return () => void (live = live.filter((other) => other !== one));
}

function engineModel(name: string): Model {
  return {
    info: {
      ...{ name, sha256: `hash of ${name}`, classes: ['calm'], covariates: [], columns: '' },
      ...{ output: 'vector', inputs: [], heads: [] },
    },
    predict: () => Promise.resolve(answered(name)),
    explain: () => explains(),
    close: opened(name),
  } as unknown as Model;
}

function engineBag(name: string): Bag {
  return {
    ...{ name, instances: 2, shape: [4], instanceNames: [], featureNames: [] },
    close: opened(name),
  } as unknown as Bag;
}

const bytes = new Uint8Array();
const source: ModelSource = {
  ...{ name: 'a.onnx', bytes, card: '{"classes":["calm"]}' },
  folds: [{ name: 'b.onnx', bytes, card: '{"axis":1}' }],
};

beforeEach(() => {
  closeModel();
  useModel(0);
  [live, cards] = [[], []];
  explains = () => new Promise(() => {});
  endStart();
  useEngine({
    version: '1',
    open: (_: Uint8Array, { name, card }: { name: string; card?: string }) => {
      cards.push(card);
      return Promise.resolve(engineModel(name));
    },
    ensemble: () => Promise.resolve(engineModel('mean')),
    bag: () => Promise.resolve(engineBag('other')),
  } as unknown as Engine);
  const [mean, ...folds] = ['mean', 'a.onnx', 'b.onnx'].map(engineModel);
  const bags = { names: ['x', 'y'], length: 2, cut: null, bag: () => {}, close() {} };
  replaceModel(mean!, source, folds);
  const files = { name: 's', files: [new File([], 's.npy')] } as unknown as BagSource;
  replaceSet(bags as unknown as Bags, files, { given: [] } as unknown as Prepared);
  replaceBag(engineBag('x'), 0, null, '');
  putPrediction(answered('mean'), 1);
  removeExactly([]);
  dismiss();
});

function oneRow() {
  putBatch(beginBatch(), { rows: [], total: 0, running: false });
}

test('answers and the table of another model go, and what all predict stays', () => {
  oneRow();
  const { together } = answer;
  void switchModel(2);
  expect(doc.modelName).toBe('b.onnx');
  expect([answer.prediction, answer.report, answer.batch]).toEqual([null, null, null]);
  expect(answer.together).toBe(together);
  expect(together).not.toBeNull();
});

test('an address that names another model removes the table; one of none is of the mean', () => {
  oneRow();
  applyLink({ options: {}, fold: 1 });
  expect([doc.which, answer.batch]).toEqual([2, null]);
  oneRow();
  applyLink({ options: {}, fold: 7 });
  expect([doc.which, answer.batch, linkOf().fold]).toEqual([0, null, undefined]);
  expect(loaded.model).toBe(loaded.models[0]);
});

test('an address before its models names one of them, and none that there is not', () => {
  closeModel();
  applyLink({ options: {}, fold: 1 });
  replaceModel(engineModel('mean'), source, ['a', 'b'].map(engineModel));
  expect([doc.which, doc.modelName]).toEqual([2, 'b']);
  closeModel();
  applyLink({ options: {}, fold: 2 });
  replaceModel(engineModel('mean'), source, ['a', 'b'].map(engineModel));
  expect([doc.which, loaded.model]).toEqual([0, loaded.models[0]]);
});

test('pixels are stated in the card of each model, and each gets its own card back', async () => {
  await setPixels({ scale: 1, mean: [0], std: [2] });
  expect(cards.map((card) => JSON.parse(card!))).toEqual([
    { classes: ['calm'], preprocess: { scale: 1, mean: [0], std: [2] } },
    { axis: 1, preprocess: { scale: 1, mean: [0], std: [2] } },
  ]);
  cards = [];
  await setPixels(null);
  expect(cards).toEqual(['{"classes":["calm"]}', '{"axis":1}']);
});

test('a question about pooling is answered for all models', async () => {
  const error = new BagscopeError('unsupported', 'unpooled', { unpooled: true });
  const refused = (_: Uint8Array, { name }: { name: string }) =>
    name === 'b.onnx' ? Promise.reject(error) : Promise.resolve(engineModel(name));
  useEngine({ open: refused } as unknown as Engine);
  expect(await openModel(source, new AbortController().signal)).toBeNull();
  const { model } = session.problem!.choices!.items[0]!;
  expect(JSON.parse(model!.card!)).toEqual({ classes: ['calm'], pool: 'mean' });
  expect(model!.folds!.map(({ card }) => JSON.parse(card!))).toEqual([{ axis: 1, pool: 'mean' }]);
});

test('models that were opened in vain are closed, all of them', async () => {
  const before = names();
  const { ensemble, ...engine } = session.engine!;
  let fail = () => {};
  const set = () => new Promise((_, reject) => (fail = () => reject(new Error('late'))));
  useEngine({ ...engine, ensemble, bags: set } as unknown as Engine);
  const bags = { name: 'z', files: [new File([], 'z.npy')], ready: true };
  const opening = open(source, bags);
  await vi.waitFor(() => expect(live).toHaveLength(before.length + 3));
  cancelOpening();
  fail();
  await opening;
  expect(names()).toEqual(before);
});

test('a replay file names all models by their own hashes', async () => {
  void switchModel(1);
  const { model, folds } = JSON.parse((await replayFile())!);
  expect([model, ...folds]).toEqual([
    { name: 'a.onnx', sha256: 'hash of a.onnx' },
    { name: 'b.onnx', sha256: 'hash of b.onnx', card: '{"axis":1}' },
  ]);
  expect(openModels()).toHaveLength(2);
});

test('concepts are of a bag by its files and index, until its set is closed', () => {
  nameConcepts('dark: 1');
  replaceBag(engineBag('y'), 1, null, '');
  expect(whatif.conceptText).toBe('');
  nameConcepts('light: 0');
  replaceBag(engineBag('x'), 0, null, '');
  expect(whatif.conceptText).toBe('dark: 1');
  const { bagSource, bagSet, prepared } = loaded;
  closeSet();
  replaceSet(bagSet, bagSource!, prepared!);
  replaceBag(engineBag('x'), 0, null, '');
  expect(whatif.conceptText).toBe('');
});

const nothing = { explanations: [], instances: [], notes: [] };

/** Compares with another bag, and does something before it is explained. */
async function compared(meanwhile: () => void = () => {}) {
  const { folds: _, ...one } = source;
  replaceModel(engineModel('vector.onnx'), one);
  const bags = { ...loaded.bagSet!, bag: () => Promise.resolve(engineBag('x')) } as Bags;
  replaceSet(bags, loaded.bagSource!, loaded.prepared!);
  explains = () => {
    if (loaded.modelSource!.target) meanwhile();
    return Promise.resolve(nothing);
  };
  await compareWithOther([new File([], 'other.npy')]);
}

test('the map of the other bag is shown while nothing that it was compared with changes', async () => {
  await compared();
  expect(other.shown?.other.name).toBe('other');
  removeExactly([1]);
  expect(other.shown).toBeNull();
  removeExactly([]);
  await compared();
  expect(other.shown).not.toBeNull();
  expect(names().filter((name) => name.endsWith('.onnx'))).toEqual(['a.onnx']);
  choose({ seed: '7' });
  expect(other.shown).toBeNull();
  expect(names().filter((name) => name === 'other')).toHaveLength(1);
  closeSet();
  expect(names()).not.toContain('other');
});

test('a bag that is read again for its target is the same one of its set', async () => {
  const read: number[] = [];
  explains = () => Promise.resolve(nothing);
  const set = { names: ['x', 'y'], length: 2, cut: null, close() {} };
  const bags = (_: unknown, { index }: { index: number }) => {
    const bag = (at: number) => Promise.resolve(read.push(index, at) && engineBag('y'));
    return Promise.resolve({ ...set, bag });
  };
  // The columns of a table depend on the card.
  const vector = engineModel('vector.onnx');
  const open = () => Promise.resolve({ ...vector, info: { ...vector.info, columns: 'x=x' } });
  useEngine({ version: '1', open, bags } as unknown as Engine);
  replaceModel(vector, { name: 'vector.onnx', bytes });
  const table = { name: 's.csv', files: [new File([], 's.csv')], ready: true };
  replaceSet({ ...set, bag: () => {} } as unknown as Bags, table, loaded.prepared!);
  replaceBag(engineBag('y'), 1, null, '');
  await compareWithBag();
  expect([read, doc.index]).toEqual([[1, 1], 1]);
});

test('the other bag is closed if another one is open by then', async () => {
  await compared(() => replaceBag(engineBag('y'), 1, null, ''));
  expect(other.shown).toBeNull();
  expect(names()).not.toContain('other');
});
