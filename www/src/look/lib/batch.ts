// Many bags, one after another: what the model says of each, and which of its instances say so most.
import type { BagSet, FileLike, Model, Prediction } from 'bagscope';
import { reader } from '../read/reader';
import { request } from './explaining';
import { cell, quoted } from './export';
import { prepare, type Prepared } from './prepare';
import { describe, isCancelled } from './problem';
import { held, studio } from './state.svelte';

/** Instances that a row names. */
export const TOP = 3;

export interface Row {
  /** Files that the bag comes from, and its place among their bags. */
  files: readonly FileLike[];
  index: number;
  name: string;
  instances: number;
  prediction: Prediction | null;
  /** The class with the highest value, -1 without a prediction. */
  predicted: number;
  /** The strongest instances for that class, the first the strongest. */
  top: { instance: number; score: number }[];
  /** What went wrong, in words, or ''. */
  fault: string;
}

export function cancelBatch(): void {
  held.batchRun?.abort();
}

/** Explains every bag of every file by the method of the form. Rows appear as they are done. */
export async function runBatch(sources: readonly (readonly FileLike[])[]): Promise<void> {
  held.batchRun?.abort();
  const mine = (held.batchRun = new AbortController());
  const { model } = held;
  const rows: Row[] = [];
  const tell = (total: number) => {
    if (held.batchRun === mine) held.batch = { rows: [...rows], total, running: true };
  };
  let total = sources.length;
  tell(total);
  for (const files of sources) {
    if (mine.signal.aborted) break;
    let set: BagSet | null = null;
    let made: Prepared | null = null;
    try {
      made = await prepare(files, studio.bagSource?.patch, model?.info ?? null, null);
      set = await studio.engine!.bags(made.files, { model: model ?? undefined });
      total += set.length - 1;
      tell(total);
      for (let i = 0; i < set.length && !mine.signal.aborted; i++) {
        rows.push(await row(model!, set, i, files, mine.signal));
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
  if (held.batchRun === mine) {
    held.batch = { rows, total, running: false };
    held.batchRun = null;
  }
}

const empty = (files: readonly FileLike[], index: number): Row => ({
  files,
  index,
  name: files.map((f) => f.name).join(', '),
  instances: 0,
  prediction: null,
  predicted: -1,
  top: [],
  fault: '',
});

async function row(
  model: Model,
  set: BagSet,
  index: number,
  files: readonly FileLike[],
  signal: AbortSignal,
): Promise<Row> {
  const out = { ...empty(files, index), name: set.names[index] || `${files[0]?.name ?? ''} ${index}` };
  try {
    const bag = await set.bag(index);
    try {
      out.instances = bag.instances;
      const output = studio.choice.output ? { output: studio.choice.output as 'prob' | 'logit' } : {};
      const prediction = (out.prediction = {
        ...(await model.predict(bag, { ...output, signal })),
        outputs: [],
      });
      out.predicted = prediction.prediction.reduce((best, x, c, all) => (x > all[best]! ? c : best), 0);
      const { without: _, ...asked } = request();
      const method = Array.isArray(asked.method) ? asked.method[0] : asked.method;
      const report = await model.explain(bag, { ...asked, method, classes: [out.predicted], signal });
      const scores = report.explanations[0]?.scores ?? [];
      out.top = scores
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
export function batchCSV(rows: readonly Row[], classes: readonly string[]): string {
  const head = ['bag', 'file', 'index', 'instances', 'class', 'class_name', ...classes.map((c) => `p ${c}`)];
  for (let n = 1; n <= TOP; n++) head.push(`instance_${n}`, `score_${n}`);
  const lines = rows.map((r) =>
    [
      quoted(r.name),
      quoted(r.files.map((f) => f.name).join(' ')),
      r.index,
      r.instances,
      r.predicted < 0 ? '' : r.predicted,
      quoted(r.predicted < 0 ? '' : (classes[r.predicted] ?? '')),
      ...classes.map((_, c) => cell(r.prediction?.prediction[c])),
      ...Array.from({ length: TOP }, (_, n) => [r.top[n]?.instance ?? '', cell(r.top[n]?.score)]).flat(),
      quoted(r.fault),
    ].join(','),
  );
  return [[...head.map(quoted), 'fault'].join(','), ...lines].join('\n') + '\n';
}

/** The same as JSON. */
export function batchJSON(
  rows: readonly Row[],
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
