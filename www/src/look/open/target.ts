// What the vector that a model returns is compared with: a file, or the vector of another bag, whose
// map is then drawn, too.
import { BagscopeError, type Bag, type Model } from 'bagscope';
import { request } from '../explain/request';
import { describe, isCancelled } from '../state/problem';
import { loaded } from '../state/document.svelte';
import { session, warn, whileBusy } from '../state/session.svelte';
import type { ModelSource } from '../state/types';
import { vectorOf } from '../state/vector';
import { eachModel } from '../state/eachmodel';
import { beginOther, putOther } from './other.svelte';
import { closeOpened, openModel, type OpenedModel } from './modelfile';
import { open } from './subject';

/** Opens the model again, compared with a target, or with nothing for null. */
export async function compareWith(target: ModelSource['target'] | null): Promise<void> {
  const { modelSource } = loaded;
  const compared = modelSource && eachModel(modelSource, () => ({ target: target ?? undefined }));
  if (compared) await open(compared, null, { index: loaded.index });
}

/** Files of vectors, by their names. */
const VECTORS = /\.(npy|npz|pt|pth|safetensors)$/i;

/** Whether dropped files are what the vector of the open model is compared with, and no bag of it. */
export async function isTarget([file, ...more]: readonly File[]): Promise<boolean> {
  const { model, modelSource } = loaded;
  const { engine } = session;
  if (!file || more.length > 0 || !VECTORS.test(file.name)) return false;
  if (!engine || !model || !modelSource || !vectorOf(model)) return false;
  try {
    (await engine.bags([file], { model })).close();
    return false;
  } catch (error) {
    // A question about the file is one about a bag.
    const details = error instanceof BagscopeError ? error.details : {};
    if (details.arrays || details.answers || details.strides) return false;
    const { name, bytes, card, external } = modelSource;
    const compared = engine.open(bytes, { name, card, external, target: file });
    return compared.then(
      (it) => (it.close(), true),
      () => error instanceof BagscopeError && error.kind === 'format',
    );
  }
}

/** The vector that a model returns for a bag, as a target. */
async function targetOf(model: Model, bag: Bag): Promise<ModelSource['target'] | null> {
  const { outputs } = await model.predict(bag);
  const output = outputs.find(({ name }) => name === model.info.output);
  return output ? { name: bag.name, vector: output.data } : null;
}

/** Compares with the vector of the open bag, so that another bag can be opened beside it. */
export async function compareWithBag(): Promise<void> {
  const { model, bag } = loaded;
  if (model && bag) await compareWith(await targetOf(model, bag));
}

/** Compares the open bag with that of a file: what makes the two alike, in both. */
export async function compareWithOther(files: readonly File[]): Promise<void> {
  const { model, bag, modelSource } = loaded;
  const { engine } = session;
  if (!model || !bag || !modelSource || !engine || files.length === 0) return;
  await whileBusy(async () => {
    const comparing = beginOther();
    const { signal } = comparing;
    let [other, back]: [Bag | null, OpenedModel | null] = [null, null];
    let kept = false;
    try {
      other = await engine.bag(files, { model, signal });
      const [near, far] = [await targetOf(model, other), await targetOf(model, bag)];
      if (!near || !far || signal.aborted) return;
      await compareWith(near);
      back = await openModel(
        eachModel(modelSource, () => ({ target: far })),
        signal,
      );
      if (!back) return;
      const { without, ...asked } = request();
      const report = await back.model.explain(other, { ...asked, signal });
      kept = putOther(comparing, { target: near, other, report });
    } catch (error) {
      if (!isCancelled(error)) warn(describe(error));
    } finally {
      closeOpened(back);
      if (!kept) other?.close();
    }
  });
}
