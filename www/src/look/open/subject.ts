// Opening a model, a set of bags, or both, one request after another. A file that cannot be read
// changes nothing.
import type { PatchOptions } from 'bagscope';
import { bagSource, openAlone, openSet } from './bagfiles';
import { isExample } from './example';
import { tableOf } from '../state/columns';
import { instanceShape } from '../state/instanceshape';
import { isPicture } from '../state/formats';
import { closeOpened, openModel } from './modelfile';
import { isAlone } from './prepare';
import {
  closeModel,
  closeSet,
  go,
  show,
  showAlone,
  useModel,
  type Next,
  type ShowOptions,
} from './openbag';
import { loaded } from '../state/document.svelte';
import {
  announce,
  beginOpening,
  clearMessages,
  engineStart,
  fail,
  notify,
  session,
  showStored,
  whileBusy,
} from '../state/session.svelte';
import type { BagSource, ModelFile, ModelSource } from '../state/types';
import { look as words } from '../../strings';

let last: Promise<unknown> = Promise.resolve();
/** The controllers of all requests that are open. */
const running = new Set<AbortController>();

/**
 * Opens a model, a set of bags, or both. Each replaces the open one after it was read; meanwhile
 * the page shows nothing of the open one. A further request waits for this one, so that a model and
 * then its bag, chosen one after the other, are both open at the end.
 */
export function open(
  model: ModelSource | ModelFile | null,
  bags: BagSource | null,
  options: ShowOptions = {},
): Promise<void> {
  if (!session.stopped) clearMessages();
  if (!options.first) showStored(false);
  const names = { model: model?.name ?? '', bag: bags?.name ?? '' };
  if (!options.again && (names.model || names.bag))
    announce(words.opening.said([names.model, names.bag].filter(Boolean)));
  const end = beginOpening(options.again ? { model: '', bag: '', again: true } : names);
  const controller = new AbortController();
  running.add(controller);
  const done = () => {
    running.delete(controller);
    end();
  };
  const read = last.then(() => openBoth(model, bags, options, controller.signal));
  last = read;
  return whileBusy(async () => {
    try {
      const next = await read;
      if (next) await show({ ...next, done });
    } finally {
      done();
    }
  });
}

/** Returns whether files are being opened, or wait for the engine. */
export const opens = () => [...running].some((request) => !request.signal.aborted);

/** Resolves when the files so far are read, or cannot be. */
export const settled = () => last.catch(() => {});

/** Cancels all requests. The open model and bag stay open. */
export function cancelOpening(): void {
  for (const controller of running) controller.abort();
  announce(words.messages.openingCancelled);
}

const noEngine = { title: words.problems.internal, text: words.messages.reload, retry: true };

/** Returns what to show afterwards; null if no file could be opened. */
async function openBoth(
  model: ModelSource | ModelFile | null,
  bags: BagSource | null,
  options: ShowOptions,
  signal: AbortSignal,
): Promise<Next | null> {
  await engineStart;
  if (!session.engine) {
    fail('starting', session.problem ?? noEngine);
    return null;
  }
  if (signal.aborted) return null;
  const opened = model && (await openModel(model, signal));
  if (model && !opened) return null;
  const tensors = Object.values(opened?.source.external ?? {}).map((f) => f.name);
  if (bags && tensors.length > 0)
    bags = bagSource(bags.files.filter((f) => !tensors.includes(f.name)));
  // A picture is cut again, because the cut depends on the model's card, and so may columns of a
  // table; and a file may state what inputs of the model beside the bag take.
  const columns = opened?.model.info.columns !== (loaded.model?.info.columns ?? '');
  const again =
    loaded.bagSource?.files.every((f) => isPicture(f.name)) ||
    (loaded.bagSource && tableOf(loaded.bagSource) && columns) ||
    (!isExample(loaded.bagSource) && (opened?.model.info.covariates.length ?? 0) > 0);
  const source = bags ?? (model && again ? loaded.bagSource : null);
  // The example's model does not define how the user's file is cut.
  const alone = !model && source && !isExample(source) && isExample(loaded.modelSource);
  const by = opened?.model ?? (alone ? null : loaded.model);
  const replaced = opened && !isExample(opened.source) && isExample(loaded.bagSource);
  const old = replaced ? null : loaded.bagSource;
  const lone = source && (await openAlone(source, by, old));
  if (lone && !signal.aborted) {
    if (opened) useModel(opened, options.keep ?? false);
    else if (isExample(loaded.modelSource)) closeModel();
    showAlone(lone);
    // A model that encodes patches needs no other file.
    const features = by && instanceShape(by.info).length === 1;
    if (!by || (features && by.info.microns === 0 && !by.info.encoder)) notify(words.slide.alone);
    return null;
  }
  const read = lone === null && source && (bags ? withSlide(bags) : source);
  const reading = read && openSet(read, options.index ?? 0, by, old, signal);
  if (opened && options.first) {
    // The page shows the model while the engine reads the bag.
    await requested();
    useModel(opened, true);
  }
  const set = await reading;
  if (signal.aborted) {
    if (!options.first) closeOpened(opened);
    return null;
  }
  if (opened && !options.first) useModel(opened, options.keep ?? false);
  // The example's other half does not belong to the user's file: the page asks for that half.
  if (replaced && !set) {
    closeSet();
    notify(words.messages.needsBag);
  }
  if (set && !opened && !isExample(set.source) && isExample(loaded.modelSource)) {
    closeModel();
    // A series is looked at without a model, too; the sentence above it says what is missing.
    if (!set.bag.slices) notify(words.messages.needsModel);
  }
  if (set) return { ...options, opened: set };
  return model && { index: loaded.index, keep: true };
}

/** Adds the slide that is open alone to features that may lie in it. */
function withSlide(bags: BagSource): BagSource {
  const { prepared } = loaded;
  const alone = prepared?.slide && isAlone(prepared) ? loaded.bagSource : null;
  if (!alone || isExample(bags) || bags.files.length !== 1) return bags;
  if (isPicture(bags.files[0]!.name)) return bags;
  return { ...bags, files: [...bags.files, ...alone.files] };
}

/** Returns after the engine got the requests so far: it works while the page renders. */
export const requested = () => new Promise((resolve) => setTimeout(resolve));

/** Closes the model and the bag. */
export function closeAll(): void {
  cancelOpening();
  closeSet();
  closeModel();
}

/** Opens the same model with other options, and the bag with it. */
export async function openAgain(model: ModelSource): Promise<void> {
  await open(model, null, { index: loaded.index, keep: true, again: true });
}

/** Cuts the open picture again. */
export async function recut(patch: PatchOptions): Promise<void> {
  if (loaded.bagSource) await open(null, { ...loaded.bagSource, patch }, { again: true });
}

/** Opens files of a row in the table of bags, at one of their bags. */
export async function openSource(files: BagSource['files'], index: number): Promise<void> {
  if (files === loaded.bagSource?.files) return go(index);
  const source = bagSource(files);
  const { array, stated } = loaded.bagSource ?? {};
  await open(null, source && { ...source, array, stated }, { index, listed: true });
}
