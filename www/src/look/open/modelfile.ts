// A model's files: the model itself, and the card, which says as JSON what the file does not.
import type { Model } from 'bagscope';
import { brief } from '../state/brief';
import { bytesOf } from '../read/bytes';
import { expectFiles, missing, withParts } from './external';
import { modelRefusal } from '../state/choices';
import { loaded } from '../state/document.svelte';
import { advance, fail, session } from '../state/session.svelte';
import type { ModelSource } from '../state/types';
import { look as words } from '../../strings';

/** A model that is not read yet. */
export interface ModelFile extends Omit<ModelSource, 'bytes'> {
  readonly file: File;
}

export interface OpenedModel {
  model: Model;
  source: ModelSource;
}

/** Opens a model. Returns null after it was cancelled or has failed; the page then shows why. */
export async function openModel(
  from: ModelSource | ModelFile,
  signal: AbortSignal,
): Promise<OpenedModel | null> {
  const files = from.files ?? [];
  let source: ModelSource | null = null;
  try {
    source = await read(from, signal);
    advance('reading');
    const { name, card, bytes, target } = source;
    const [model, external] = await withParts(files, (external) =>
      session.engine!.open(bytes, { name, card, external, target, signal }),
    );
    return { model, source: { ...source, external } };
  } catch (error) {
    if (signal.aborted) return null;
    const paths = missing(error);
    if (paths) expectFiles(files, paths);
    const drop = paths && words.messages.drop(paths.length);
    const old = loaded.modelSource && words.messages.still(brief(loaded.modelSource.name));
    fail('opening', modelRefusal(error, source, [drop, old].filter(Boolean).join(' ')));
    return null;
  }
}

async function read(from: ModelSource | ModelFile, signal: AbortSignal): Promise<ModelSource> {
  if ('bytes' in from) return from;
  const { file, ...source } = from;
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
