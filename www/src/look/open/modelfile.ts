// A model's files: the model itself, and the card, which says as JSON what the file does not.
import type { Model } from 'bagscope';
import { brief } from '../state/brief';
import { bytesOf } from '../read/bytes';
import { expectFiles, missing, withParts } from './external';
import { modelRefusal, whichModel, withKey } from '../state/choices';
import { loaded } from '../state/document.svelte';
import { advance, fail, session } from '../state/session.svelte';
import type { ModelFile, ModelSource } from '../state/types';
import { look as words } from '../../strings';

export interface OpenedModel {
  model: Model;
  source: ModelSource;
  /** The models of which `model` is the mean; empty for one. */
  folds: readonly Model[];
}

/** Closes what `openModel` returned. */
export function closeOpened(opened: OpenedModel | null): void {
  opened?.model.close();
  for (const model of opened?.folds ?? []) model.close();
}

/**
 * Opens a model, or several as one. Returns null after it was cancelled or has failed; the page then
 * shows why.
 */
export async function openModel(
  from: ModelSource | ModelFile,
  signal: AbortSignal,
): Promise<OpenedModel | null> {
  const chain = await chained(from, signal);
  if (chain) return chain;
  const first = await openOne(from, signal, from);
  const needed = Object.values(first?.source.external ?? {});
  const others = (from.folds ?? []).filter((f) => !('file' in f && needed.includes(f.file)));
  if (!first || others.length === 0) return first;
  const opened = [first];
  try {
    for (const of of others) {
      const next = await openOne(of, signal, from);
      if (!next) throw null;
      opened.push(next);
    }
    const byName = new Intl.Collator('en', { numeric: true });
    opened.sort((a, b) => byName.compare(a.source.name, b.source.name));
    const folds = opened.map(({ model }) => model);
    const [source, ...rest] = opened.map(({ source }) => source);
    const external = Object.assign({}, ...opened.map(({ source }) => source.external));
    const model = await session.engine!.ensemble(folds, { signal });
    return { model, source: { ...source!, external, folds: rest }, folds };
  } catch (error) {
    for (const { model } of opened) model.close();
    if (error && !signal.aborted) {
      const sources = opened.map(({ source }) => source);
      fail('opening', whichModel(error, sources, still()));
    }
    return null;
  }
}

/** Says that the open model stays open; undefined without one. */
const still = () => loaded.model && words.messages.still(brief(loaded.model.info.name));

/** Two models of which one fits before the other, and not the other way round, as a chain. */
async function chained(
  from: ModelSource | ModelFile,
  signal: AbortSignal,
): Promise<OpenedModel | null> {
  const [other, ...more] = from.folds ?? [];
  if ('bytes' in from || !other || more.length > 0) return null; // open already, or no pair
  const fit: OpenedModel[] = [];
  for (const [model, before] of [[from, other] as const, [other, from] as const]) {
    try {
      const card = withKey(model.card, { via: before.name });
      fit.push(await attempt({ ...model, card, folds: undefined }, signal));
    } catch {
      // It does not fit, or its card is no JSON, which is said when it is opened by itself.
    }
  }
  if (fit.length === 1) return fit[0]!;
  fit.forEach(closeOpened);
  return null;
}

// One of the models of `all`. A question about it is answered for all of them.
async function openOne(
  from: ModelSource | ModelFile,
  signal: AbortSignal,
  all: ModelSource | ModelFile,
): Promise<OpenedModel | null> {
  try {
    return await attempt(from, signal);
  } catch (error) {
    if (signal.aborted) return null;
    const paths = missing(error);
    if (paths) expectFiles(from.files ?? [], paths);
    const drop = paths && words.messages.drop(paths.length);
    fail('opening', modelRefusal(error, all, [drop, still()].filter(Boolean).join(' ')));
    return null;
  }
}

async function attempt(from: ModelSource | ModelFile, signal: AbortSignal): Promise<OpenedModel> {
  const source = await read(from, signal);
  advance('reading');
  const { name, card, bytes, target } = source;
  const [model, external] = await withParts(from.files ?? [], (external) =>
    session.engine!.open(bytes, { name, card, external, target, signal }),
  );
  return { model, source: { ...source, external, folds: undefined }, folds: [] };
}

async function read(from: ModelSource | ModelFile, signal: AbortSignal): Promise<ModelSource> {
  if ('bytes' in from) return from;
  const { file, folds: _, ...source } = from;
  return { ...source, bytes: await bytesOf(file, { signal, onProgress: advance }) };
}

/**
 * A card with the names of the classes and what the user has stated of the columns of tables, as the
 * text of a .bagscope.json file. Other keys of `card` stay, and its own columns count after these.
 */
export function cardWith(
  card: string | undefined,
  classes: readonly string[],
  stated = '',
): string {
  const known = card ? (JSON.parse(card) as { columns?: string | null }) : {};
  const columns = stated && [stated, known.columns].filter(Boolean).join('; ');
  return JSON.stringify({ ...known, classes, ...(columns && { columns }) }, null, 1) + '\n';
}
