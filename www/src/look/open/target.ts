// What the vector that a model returns is compared with: a file, or the vector of another bag, whose
// map is then drawn, too.
import type { Bag, Model } from 'bagscope';
import { request } from '../explain/request';
import { describe, isCancelled } from '../state/problem';
import { loaded } from '../state/document.svelte';
import { session, warn, whileBusy } from '../state/session.svelte';
import type { ModelSource } from '../state/types';
import { putOther } from './other.svelte';
import { openModel } from './modelfile';
import { open } from './subject';

/** Opens the model again, compared with a target, or with nothing for null. */
export async function compareWith(target: ModelSource['target'] | null): Promise<void> {
  const { modelSource } = loaded;
  if (modelSource) await open({ ...modelSource, target: target ?? undefined }, null);
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
    try {
      const other = await engine.bag(files, { model });
      const [near, far] = [await targetOf(model, other), await targetOf(model, bag)];
      if (!near || !far) return;
      await compareWith(near);
      const turned = { ...modelSource, target: far };
      const back = await openModel(turned, new AbortController().signal);
      if (!back) return;
      const { without, ...asked } = request();
      const report = await back.model.explain(other, asked);
      back.model.close();
      // The open bag was opened again, for the other model.
      if (loaded.bag) putOther({ target: near, bag: loaded.bag, other, report });
    } catch (error) {
      if (!isCancelled(error)) warn(describe(error));
    }
  });
}
