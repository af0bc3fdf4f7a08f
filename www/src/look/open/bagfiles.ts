// Reading a set of bags from its files.
import type { Bag, BagSet, Model } from 'bagscope';
import { brief } from '../state/brief';
import { refusal } from '../state/choices';
import { prepare, slideOf, untouched } from './prepare';
import { hasBands } from './serve';
import { instanceShape } from '../state/instanceshape';
import type { Prepared } from '../state/types';
import { reader, watched } from '../read/reader';
import { loaded } from '../state/document.svelte';
import { advance, fail, session } from '../state/session.svelte';
import type { Bags, BagSource } from '../state/types';
import { look as words } from '../../strings';

export interface OpenedSet {
  set: Bags;
  bag: Bag;
  source: BagSource;
  prepared: Prepared;
}

/**
 * Returns files as the source of a set of bags; null for no files. The engine reads large files
 * itself, so that they are never in the page's memory.
 */
export function bagSource(files: BagSource['files']): BagSource | null {
  if (files.length === 0) return null;
  return { name: files.length === 1 ? files[0]!.name : words.sources.files(files.length), files };
}

/**
 * Opens a set and one of its bags, because a set may be valid and that bag not. `old` is the set
 * that stays open after a failure. Returns null after it was cancelled or has failed; the page then
 * shows why.
 */
export async function openSet(
  source: BagSource,
  index: number,
  model: Model | null,
  old: BagSource | null,
  signal: AbortSignal,
): Promise<OpenedSet | null> {
  let set: BagSet | null = null;
  let prepared: Prepared | null = null;
  const before = loaded.prepared;
  const info = model?.info ?? null;
  try {
    const { files, patch, array, stated } = source;
    const calls = watched({ signal, onProgress: advance });
    prepared = source.ready ? untouched(files) : await prepare(files, patch, info, before, calls);
    advance('reading');
    const stage = prepared.picture ? 'cutting' : 'reading';
    const onProgress = (done: number, total: number) => advance(stage, done, total);
    const { files: ready, patch: cut } = prepared;
    const options = { name: source.name, model: model ?? undefined, array, patch: cut, index };
    set = await session.engine!.bags(ready, { ...options, ...stated, signal, onProgress });
    const bag = await set.bag(Math.min(index, set.length - 1), { signal });
    return { set, bag, source, prepared };
  } catch (error) {
    set?.close();
    release(prepared, before);
    if (!signal.aborted) fail('opening', refusal(error, source, index, info, still(old)));
    return null;
  }
}

/** What stays open after a failure, in words. */
const still = (old: BagSource | null) =>
  old ? words.messages.still(brief(old.name), old.files.length > 1) : '';

/**
 * Opens the files of a source as a slide without a bag: for no model, one that takes features or
 * bands, or one whose card states the microns of its patches, so that they can be laid. For
 * features, tiles that have places in their names are a slide, too. Null if it is no slide, and
 * undefined if the page asks how to read it. `old` is that of openSet.
 */
export async function openAlone(
  source: BagSource,
  model: Model | null,
  old: BagSource | null,
): Promise<{ source: BagSource; prepared: Prepared } | null | undefined> {
  const features = model !== null && instanceShape(model.info).length === 1;
  const laid = !model || features || model.info.microns > 0;
  const tiles = features ? { tileNames: source.stated?.tileNames } : undefined;
  try {
    const before = loaded.prepared;
    const slide = await slideOf(source.files, before, tiles);
    // Bands are no picture that the page could cut.
    if (slide && !laid && !hasBands(slide)) {
      if (slide !== before?.slide) slide.close();
      return null;
    }
    return slide && { source, prepared: { ...untouched(source.files), slide } };
  } catch (error) {
    fail('opening', refusal(error, source, 0, model?.info ?? null, still(old)));
  }
}

/** Closes the picture and the slide of `one`, unless `other` uses them too. */
export function release(one: Prepared | null, other: Prepared | null): void {
  if (one?.slide !== other?.slide) one?.slide?.close();
  if (one?.picture && one.picture.id !== other?.picture?.id) void reader.close(one.picture.id);
}
