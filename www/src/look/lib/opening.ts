// Opening a model, a bag set or both, and showing a bag of the set. What cannot be read changes nothing.
import type { Bag, BagSet, Model, PatchOptions } from 'bagscope';
import { bytesOf } from './bytes';
import { isExample, suits } from './example';
import { cancelAll, reask } from './explaining';
import { expectFiles, expectNothing, given, missing } from './external';
import { isPicture } from './files';
import { cancelJudging } from './judging';
import { prepare, untouched, type Prepared } from './prepare';
import { describe } from './problem';
import { leave as leavePlace, placeOf } from '../place/place';
import { reader, watched } from '../read/reader';
import { clearAnswers, dropBatch } from '../state/answer.svelte';
import * as document from '../state/document.svelte';
import { loaded } from '../state/document.svelte';
import {
  choose,
  chooseClasses,
  fitRemoved,
  question,
  removeExactly,
} from '../state/question.svelte';
import {
  advance,
  announce,
  beginOpening,
  clearMessages,
  fail,
  notify,
  session,
  showStored,
  whileBusy,
} from '../state/session.svelte';
import type { OpeningFiles } from '../state/phase';
import type { BagSource, ModelSource } from '../state/types';
import { draftGrid, select } from '../state/view.svelte';
import { look as words } from '../../strings';

/** How a bag is shown that is opened or gone to. */
export interface Showing {
  /** Which bag of the set; default the first. */
  index?: number;
  /** Whether removed instances stay removed. */
  keep?: boolean;
  /** The example is opened as the page is. */
  first?: boolean;
  /** The same files are opened in another way. */
  again?: boolean;
  /** The table of bags stays: this is one of them. */
  listed?: boolean;
}

interface OpenedModel {
  model: Model;
  source: ModelSource;
}
interface OpenedSet {
  set: BagSet;
  bag: Bag;
  source: BagSource;
  prepared: Prepared;
}
/** A bag to be shown: of a set that takes the place of the open one, if there is one. */
interface Next extends Showing {
  opened?: OpenedSet;
  /** Called when the bag is the open one, and the page may show it. */
  done?: () => void;
}

/** Counts what is shown: a newer bag makes an older one moot. */
let turn = 0;
let last: Promise<unknown> = Promise.resolve();
/** What ends the openings that are under way. */
const running = new Set<AbortController>();

/** A model to be opened. Its file is read when its turn has come. */
export interface ModelFile extends Omit<ModelSource, 'bytes'> {
  readonly file: File;
}

/**
 * Opens a model, a bag set or both. Each takes the place of the old one only when it could be read;
 * meanwhile nothing of the old is shown. What is opened meanwhile waits, so that a model and then
 * its bag, chosen one after the other, are both open at the end.
 */
export function open(
  model: ModelSource | ModelFile | null,
  bags: BagSource | null,
  showing: Showing = {},
): Promise<void> {
  clearMessages();
  if (!showing.first) showStored(false);
  const end = enter(showing.again ? NEITHER : { model: model?.name ?? '', bag: bags?.name ?? '' });
  const controller = new AbortController();
  running.add(controller);
  const done = () => {
    running.delete(controller);
    end();
  };
  const read = last.then(() => openBoth(model, bags, showing, controller.signal));
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

/** Stops what is being opened. What was open before stays open. */
export function cancelOpening(): void {
  for (const controller of running) controller.abort();
  announce(words.told.openingCancelled);
}

/** The result of work, or the signal's reason. What comes too late is handed to `late`. */
async function unlessAborted<T>(
  work: Promise<T>,
  signal: AbortSignal,
  late: (result: T) => void,
): Promise<T> {
  let abort = () => {};
  const aborted = new Promise<never>((_, fail) => {
    abort = () => fail(signal.reason);
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
  });
  try {
    return await Promise.race([work, aborted]);
  } catch (error) {
    if (signal.aborted) void work.then(late, () => {});
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

const NEITHER: OpeningFiles = { model: '', bag: '' };

// Shows that something is being opened, until the function that it returns is called.
function enter(names: OpeningFiles): () => void {
  if (names.model || names.bag)
    announce(words.opening.said([names.model, names.bag].filter(Boolean)));
  return beginOpening(names);
}

// Returns what is to be shown then, null when nothing new could be opened.
async function openBoth(
  model: ModelSource | ModelFile | null,
  bags: BagSource | null,
  showing: Showing,
  signal: AbortSignal,
): Promise<Next | null> {
  if (!session.engine || signal.aborted) return null;
  const opened = model && (await openModel(model, signal));
  if (model && !opened) return null;
  const tensors = Object.values(opened?.source.external ?? {}).map((f) => f.name);
  if (bags && tensors.length > 0)
    bags = bagSource(bags.files.filter((f) => !tensors.includes(f.name)));
  // How a picture is cut depends on the model's card.
  const pictures = loaded.bagSource?.files.every((f) => isPicture(f.name));
  const source = bags ?? (model && pictures ? loaded.bagSource : null);
  // Nor does the example's model say how a file of the user's own is cut.
  const alone = !model && source && !isExample(source) && isExample(loaded.modelSource);
  const by = opened?.model ?? (alone ? null : loaded.model);
  const lost = opened && !isExample(opened.source) && isExample(loaded.bagSource);
  const old = lost ? null : loaded.bagSource;
  const reading = source && openSet(source, showing.index ?? 0, by, old, signal);
  if (opened && showing.first) {
    // The page shows the model while the engine reads the bag.
    await asked();
    useModel(opened, true);
  }
  const set = await reading;
  if (signal.aborted) {
    opened?.model.close();
    return null;
  }
  if (opened && !showing.first) useModel(opened, showing.keep ?? false);
  // The example's other half says nothing about a file of the user's own: the page asks for that half.
  if (opened && !set && !isExample(opened.source) && isExample(loaded.bagSource)) {
    closeSet();
    notify(words.told.needsBag);
  }
  if (set && !opened && !isExample(set.source) && isExample(loaded.modelSource)) {
    closeModel();
    notify(words.told.needsModel);
  }
  if (set) return { ...showing, opened: set };
  return model && { index: loaded.index, keep: true };
}

/** Returns when what was asked of the engine is on its way: it works while the page renders. */
export const asked = () => new Promise((resolve) => setTimeout(resolve));

async function openModel(
  from: ModelSource | ModelFile,
  signal: AbortSignal,
): Promise<OpenedModel | null> {
  const files = from.files ?? [];
  try {
    const source = await read(from, signal);
    advance('reading');
    const work = openParts(source);
    const [model, external] = await unlessAborted(work, signal, ([late]) => late.close());
    return { model, source: { ...source, external } };
  } catch (error) {
    if (signal.aborted) return null;
    const paths = missing(error);
    if (paths) expectFiles(files, paths);
    const drop = paths && words.told.drop(paths.length);
    const old = loaded.modelSource && words.told.still(loaded.modelSource.name);
    fail('opening', describe(error, [drop, old].filter(Boolean).join(' ')));
    return null;
  }
}

async function read(from: ModelSource | ModelFile, signal: AbortSignal): Promise<ModelSource> {
  if ('bytes' in from) return from;
  const { file, ...source } = from;
  return { ...source, bytes: await bytesOf(file, { signal, onProgress: advance }) };
}

// Only the engine knows which files a model keeps tensors in, so that it is asked first.
async function openParts(source: ModelSource): Promise<[Model, Record<string, File>]> {
  const { name, card, bytes, files = [] } = source;
  const engine = session.engine!;
  try {
    return [await engine.open(bytes, { name, card }), {}];
  } catch (error) {
    const external = given(missing(error) ?? [], files);
    if (Object.keys(external).length === 0) throw error;
    return [await engine.open(bytes, { name, card, external }), external];
  }
}

function useModel({ model, source }: OpenedModel, keep: boolean): void {
  // What suits the example suits no other model.
  const { choice } = question;
  const { settings, samples } = suits();
  if (!isExample(source) && isExample(loaded.modelSource) && choice.settings === settings) {
    const { samples: asked, ...options } = choice.options;
    choose({ settings: '', options: asked === samples ? options : choice.options });
  }
  document.replaceModel(model, source);
  expectNothing();
  dropBatch();
  clearAnswers();
  if (!keep) chooseClasses(null);
}

// Reads a set and the bag of it that is to be seen: a set may be sound and that bag not.
async function openSet(
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
    const { files, patch, ready } = source;
    const calls = watched({ signal, onProgress: advance });
    prepared = ready ? untouched(files) : await prepare(files, patch, info, before, calls);
    advance('reading');
    const options = { name: source.name, model: model ?? undefined };
    const reading = session.engine!.bags(prepared.files, options);
    set = await unlessAborted(reading, signal, (late) => late.close());
    const taking = set.bag(Math.min(index, set.length - 1));
    const bag = await unlessAborted(taking, signal, (late) => late.close());
    return { set, bag, source, prepared };
  } catch (error) {
    set?.close();
    release(prepared, before);
    if (!signal.aborted) fail('opening', describe(error, old ? words.told.still(old.name) : ''));
    return null;
  }
}

function useSet({ set, source, prepared }: OpenedSet): void {
  const before = loaded.prepared;
  document.replaceSet(set, source, prepared);
  draftGrid(null);
  release(before, prepared);
}

// Closes a picture that nothing shows any more.
function release(one: Prepared | null, kept: Prepared | null): void {
  if (one?.picture && one.picture.id !== kept?.picture?.id) void reader.close(one.picture.id);
}

function closeModel(): void {
  document.closeModel();
  dropBatch();
  clearAnswers();
}

function closeSet(): void {
  cancelAll();
  closeBag();
  release(loaded.prepared, null);
  document.closeSet();
  draftGrid(null);
}

function closeBag(): void {
  leavePlace(loaded.place);
  document.closeBag();
  removeExactly([]);
  select(null);
  clearAnswers();
}

/** Closes the model and the bag. */
export function closeAll(): void {
  cancelOpening();
  closeSet();
  closeModel();
}

/** Opens the same model in another way, and the bag with it. */
export async function openAgain(model: ModelSource): Promise<void> {
  await open(model, null, { index: loaded.index, keep: true, again: true });
}

/** Cuts the open picture again. */
export async function recut(patch: PatchOptions): Promise<void> {
  if (loaded.bagSource) await open(null, { ...loaded.bagSource, patch }, { again: true });
}

/** Opens files that a table names, at one of their bags. */
export async function openSource(files: BagSource['files'], index: number): Promise<void> {
  if (files === loaded.bagSource?.files) return go(index);
  await open(null, bagSource(files), { index, listed: true });
}

/** Files as a bag, or several; null if there are none. The engine reads them: large ones never lie in the page's memory. */
export function bagSource(files: BagSource['files']): BagSource | null {
  if (files.length === 0) return null;
  return { name: files.length === 1 ? files[0]!.name : words.sources.files(files.length), files };
}

/** Shows a bag of the open set, and explains it. Removed instances are put back unless kept. */
export function go(index: number, showing: Pick<Showing, 'keep'> = {}): Promise<void> {
  return whileBusy(() => show({ ...showing, index }));
}

// Between the last state that it sets and the asking nothing is waited for, so that the engine is asked before the page renders.
async function show({ index = 0, keep = false, opened, done, listed }: Next): Promise<void> {
  if (opened) {
    useSet(opened);
    if (!listed) dropBatch();
  }
  const set = loaded.bagSet;
  if (!set || set.length === 0) return;
  const mine = ++turn;
  cancelAll();
  cancelJudging();
  done ??= enter(NEITHER);
  const at = Math.min(Math.max(index, 0), set.length - 1);
  try {
    const bag = opened?.bag ?? (await set.bag(at));
    const { picture = null, cut = null, extent = null } = loaded.prepared ?? {};
    const found = bag.boxes ? await placeOf(bag, picture, cut !== null, extent) : null;
    const [place, why] = typeof found === 'string' ? [null, found] : [found, ''];
    if (mine !== turn) {
      leavePlace(place);
      return bag.close();
    }
    leavePlace(loaded.place);
    document.replaceBag(bag, at, place, why);
    if (!keep) removeExactly([]);
    fitRemoved();
    select(null);
    clearAnswers();
  } catch (error) {
    if (mine !== turn) return;
    // Of a new set nothing can be shown, and of the old one nothing may be.
    if (opened) closeBag();
    fail('opening', describe(error, loaded.bag ? words.told.stays(loaded.bag.name) : ''));
    return;
  } finally {
    done();
  }
  await reask();
}
