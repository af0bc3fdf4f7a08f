// Joining another bag, with an engine of a few lines in its place.
import type { Bag, BagSet, Engine, Model, Prediction } from 'bagscope';
import { beforeEach, expect, test } from 'vitest';
import type { Prepared } from '../../src/look/state/types';
import { closeOther, openOther } from '../../src/look/whatif/whatif';
import { putPrediction } from '../../src/look/state/answer.svelte';
import { replaceBag, replaceModel, replaceSet } from '../../src/look/state/document.svelte';
import { excluded, removeExactly } from '../../src/look/state/question.svelte';
import { dismiss, endStart, session, useEngine } from '../../src/look/state/session.svelte';
import type { BagSource, ModelSource } from '../../src/look/state/types';
import { whatif } from '../../src/look/state/whatif.svelte';

/** Bags that are open, by name. */
let open: Set<string>;
/** Ends the wait for each bag of the set, in the order of the requests. */
let release: (() => void)[];

function bag(name: string): Bag {
  const all = open.add(name);
  return {
    ...{ name, instances: 2, shape: [4] },
    with: (other: Bag) => Promise.resolve(bag(`${name} and ${other.name}`)),
    close: () => void all.delete(name),
  } as unknown as Bag;
}

beforeEach(() => {
  [open, release] = [new Set(), []];
  endStart();
  useEngine({} as Engine);
  const model = {
    info: { classes: ['calm'] },
    score: (_: Bag, bags: number[][]) => Promise.resolve(bags.map((b) => [b.length])),
    close() {},
  } as unknown as Model;
  const set = {
    names: ['own', 'first', 'second'],
    bag: (i: number) =>
      new Promise<Bag>((done) => release.push(() => done(bag(['own', 'first', 'second'][i]!)))),
    close() {},
  } as unknown as BagSet;
  replaceModel(model, { name: 'm' } as ModelSource);
  replaceSet(set, { name: 's', files: [] } as unknown as BagSource, {} as Prepared);
  replaceBag(bag('own'), 0, null, '');
  const prediction = { prediction: [1], units: ['score'], curves: [], classes: ['calm'] };
  putPrediction(prediction as unknown as Prediction, 1);
  removeExactly([]);
  dismiss();
});

test('of two other bags the one that was chosen last is joined, though it is read first', async () => {
  const both = [openOther(1), openOther(2)];
  release[1]!();
  await both[1];
  release[0]!();
  await both[0];
  expect(whatif.moving?.other.name).toBe('second');
  expect([...open]).toEqual(['own', 'second', 'own and second']);
  await closeOther();
  expect([...open]).toEqual(['own']);
});

test('another bag is not joined after the choice of none', async () => {
  const opening = openOther(1);
  await closeOther();
  release[0]!();
  await opening;
  expect(whatif.moving).toBeNull();
  expect([...open]).toEqual(['own']);
  expect(session.problem).toBeNull();
});

test('if all instances are removed, the whole bag is explained', () => {
  removeExactly([0]);
  expect(excluded()).toEqual([0]);
  removeExactly([0, 1]);
  expect(excluded()).toEqual([]);
});
