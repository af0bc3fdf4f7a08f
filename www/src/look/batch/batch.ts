// Many bags, one after another: what the model says of each, and which of its instances say so
// most.
import type { BagSet, FileLike, Model, Prediction } from 'bagscope';
import { reader } from '../read/reader';
import { request } from '../explain/request';
import { csvRow } from '../state/csv';
import { prepare } from '../open/prepare';
import type { Prepared } from '../state/types';
import { asStated } from '../open/statedbag';
import { describe, isCancelled } from '../state/problem';
import { beginBatch, putBatch } from '../state/answer.svelte';
import { session } from '../state/session.svelte';
import type { BatchRow } from '../state/types';
import { doc } from '../state/document.svelte';
import { question } from '../state/question.svelte';

/** Instances that a row names. */
export const TOP = 3;

/** Explains every bag of every file by the method of the form. Rows appear as they are done. */
export async function runBatch(sources: readonly (readonly FileLike[])[]): Promise<void> {
  const signal = beginBatch();
  const { model } = doc;
  const rows: BatchRow[] = [];
  const tell = (total: number, running = true) =>
    putBatch(signal, { rows: [...rows], total, running });
  let total = sources.length;
  tell(total);
  for (const files of sources) {
    if (signal.aborted) break;
    let set: BagSet | null = null;
    let made: Prepared | null = null;
    try {
      made = await prepare(files, doc.bagSource?.patch, model?.info ?? null, null);
      const { array, stated } = doc.bagSource ?? {};
      const options = { model: model ?? undefined, array, patch: made.patch, signal };
      set = await session.engine!.bags(made.files, { ...options, ...stated });
      total += set.length - 1;
      tell(total);
      for (let i = 0; i < set.length && !signal.aborted; i++) {
        rows.push(await row(model!, set, i, files, signal));
        tell(total);
      }
    } catch (error) {
      if (isCancelled(error)) break;
      rows.push({ ...empty(files, 0), fault: describe(error).text });
      tell(total);
    } finally {
      set?.close();
      if (made?.picture) void reader.close(made.picture.id);
    }
  }
  tell(total, false);
}

const empty = (files: readonly FileLike[], index: number): BatchRow => ({
  files,
  index,
  name: files.map((f) => f.name).join(', '),
  instances: 0,
  prediction: null,
  predicted: -1,
  top: [],
  drawn: null,
  fault: '',
});

async function row(
  model: Model,
  set: BagSet,
  index: number,
  files: readonly FileLike[],
  signal: AbortSignal,
): Promise<BatchRow> {
  const out = {
    ...empty(files, index),
    name: set.names[index] || `${files[0]?.name ?? ''} ${index}`,
  };
  try {
    const bag = await asStated(await set.bag(index), { files }, index, model);
    try {
      out.instances = bag.instances;
      const output = question.choice.output
        ? { output: question.choice.output as 'prob' | 'logit' }
        : {};
      const prediction = (out.prediction = {
        ...(await model.predict(bag, { ...output, signal })),
        outputs: [],
      });
      out.predicted = prediction.prediction.reduce(
        (best, x, c, all) => (x > all[best]! ? c : best),
        0,
      );
      const { without: _, ...asked } = request();
      const method = Array.isArray(asked.method) ? asked.method[0] : asked.method;
      const report = await model.explain(bag, {
        ...asked,
        method,
        classes: [out.predicted],
        signal,
      });
      const [first] = report.explanations;
      if (first) out.drawn = { method: first.method, unit: first.unit, scale: first.scale.shared };
      out.top = (first?.scores ?? [])
        .map((score, at) => ({ instance: report.instances[at] ?? at, score }))
        .sort((a, b) => b.score - a.score || a.instance - b.instance)
        .slice(0, TOP);
    } finally {
      bag.close();
    }
  } catch (error) {
    if (isCancelled(error)) throw error;
    out.fault = describe(error).text;
  }
  return out;
}

/** The rows as a table: prediction of every class, and the strongest instances. */
export function batchCSV(rows: readonly BatchRow[], classes: readonly string[]): string {
  const head = [
    'bag',
    'file',
    'index',
    'instances',
    'class',
    'class_name',
    ...classes.map((c) => `p ${c}`),
  ];
  for (let n = 1; n <= TOP; n++) head.push(`instance_${n}`, `score_${n}`);
  const lines = rows.map((r) =>
    csvRow([
      r.name,
      r.files.map((f) => f.name).join(' '),
      r.index,
      r.instances,
      r.predicted < 0 ? '' : r.predicted,
      r.predicted < 0 ? '' : (classes[r.predicted] ?? ''),
      ...classes.map((_, c) => r.prediction?.prediction[c]),
      ...Array.from({ length: TOP }, (_, n) => [r.top[n]?.instance, r.top[n]?.score]).flat(),
      r.fault,
    ]),
  );
  return [csvRow([...head, 'fault']), ...lines].join('');
}

/** The same as JSON. */
export function batchJSON(
  rows: readonly BatchRow[],
  classes: readonly string[],
  model: { name: string; sha256: string },
): string {
  const bags = rows.map((r) => ({
    bag: r.name,
    files: r.files.map((f) => f.name),
    index: r.index,
    instances: r.instances,
    class: r.predicted < 0 ? null : r.predicted,
    prediction: r.prediction?.prediction.map((p) => (Number.isFinite(p) ? p : null)) ?? null,
    top: r.top,
    ...(r.fault ? { fault: r.fault } : {}),
  }));
  return JSON.stringify({ model, classes, bags }, null, 1) + '\n';
}
