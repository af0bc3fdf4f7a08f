// What a user can do: open a model or a bag, go through a set, take instances out, start again.
import type { Bag, BagSet, Engine, FileLike, Model, PatchOptions } from 'bagscope';
import poster from 'virtual:poster';
import { boot, fetchExample, seal, type Example } from '../../lib/engine';
import { cancelAll, explain, predictRest, reask } from './explaining';
import { cancelJudging } from './judging';
import { base, given, missing } from './external';
import { isData, isPicture, sort } from './files';
import { decode, type Link } from './hash';
import { digits, type Bundle, type Network } from './networks';
import { percent, plain } from '../../lib/format';
import { keepOffline, type Opened } from '../../site/offline';
import { ReadFault } from '../read/fault';
import { leave as leavePlace, placeOf } from '../place/place';
import { fetchReader, reader } from '../read/reader';
import { prepare, untouched, type Prepared } from './prepare';
import { differing, readReplay, type Replay } from './replay';
import { describe } from './problem';
import { requests } from './requests.svelte';
import { look as words } from '../../strings';
import { held, studio, USUAL_METHOD, type BagSource, type ModelSource, type Opening } from './state.svelte';

let example: Example | null = null;
/** What the example's bags are. */
let bundle: Bundle = digits;
/** A drop with a model whose files were not all there, and the names of those it still needs. */
let waiting: { files: readonly File[]; names: readonly string[] } | null = null;
let turn = 0;
let opening: Promise<unknown> = Promise.resolve();

/**
 * Starts the engine, opens the example, under a network of its own where one is given, and explains it. Until the page is `shown` nothing changes in it: HTML that is there
 * already comes to life as it was written.
 */
export async function start(link: Link, network: Network | null, shown: Promise<void>): Promise<void> {
  requests.watch();
  studio.network = network?.key ?? '';
  bundle = network?.bags ?? digits;
  applyLink(link);
  if (!linked() && !network) [studio.poster, held.whole] = [true, poster.prediction];
  let engine: Engine, files: Example;
  try {
    const coming = Promise.all([boot(workerLost), fetchExample(network?.url, bundle.url)]);
    coming.catch(() => {}); // told of below
    await shown;
    [engine, files] = await coming;
    example = files;
    studio.engine = engine;
  } catch (error) {
    [studio.phase, studio.poster, held.whole] = ['stopped', false, null];
    const problem = describe(error, network ? words.networks.reload : words.told.reload);
    studio.problem = network ? { ...problem, title: words.networks.missing } : problem;
    return;
  }
  const opened = openExample({ first: true });
  await asked();
  ready(engine);
  await opened;
  studio.poster = false;
  const model = network && { url: network.url, bytes: files.model };
  await close(model ? [model, { url: bundle.url, bytes: files.bags }] : []);
}

/**
 * Fetches what the page may still need, keeps the site for use without a network, and forbids it all connections from then on. Where the reader cannot be fetched,
 * its files cannot be opened, and the page says so when they are.
 */
async function close(opened: readonly Opened[]): Promise<void> {
  const [extras] = await Promise.all([import('../extras').catch(() => null), fetchReader().catch(() => {})]);
  studio.extras = extras;
  await keepOffline('../', opened); // by a worker of its own, which the seal does not bind
  seal();
  await requests.seal();
  studio.sealed = true;
}

/** Whether the address says what is to be seen. */
const linked = () => location.hash.length > 1;

/** Says that a worker ended. The engine has its part done elsewhere. */
function workerLost(reason: string): void {
  studio.problem = {
    title: words.told.worker,
    text: words.told.workerHow(reason),
  };
}

function ready(engine: Engine): void {
  studio.methods = engine.methods;
  studio.dataSettings = engine.settings;
  studio.phase = 'ready';
}

/** Opens the bundled example; the first time as the address says. */
export async function openExample({ first = false } = {}): Promise<void> {
  if (!example) return;
  if (!first || !linked()) {
    studio.choice.settings = bundle.settings;
    if (bundle.samples) studio.choice.options.samples = bundle.samples;
  }
  const model = { name: `${studio.network || 'digits'}.onnx`, bytes: example.model };
  // Asking the reader first would have the first explanation wait for its 392 kB: .17 s at 10 Mbit/s.
  const { name, ready } = bundle;
  const bags = { name, files: [{ name, data: example.bags }], ready };
  await open(model, bags, first ? { index: studio.index, keep: true, first } : {});
}

/** Opens files that were dropped or chosen: a model, its card, a bag, or several at once. */
export function openFiles(files: readonly File[]): Promise<void> {
  return studio.while(() => readFiles(files));
}

async function readFiles(dropped: readonly File[]): Promise<void> {
  const files = completed(dropped);
  const found = sort(files);
  try {
    const text = found.card ? await found.card.text() : undefined;
    const replay = text === undefined ? null : replayOf(text);
    if (replay) replaying = replay;
    const card = replaying?.card ?? (replay ? undefined : text);
    let model: ModelSource | null = null;
    if (found.model) model = { name: found.model.name, bytes: await bytesOf(found.model), card, files };
    else if (card && studio.modelSource) model = { ...studio.modelSource, card };
    const bags = bagSource(several(found.bag));
    if (replaying) await replayed(replaying, model, bags);
    else await open(model, bags);
  } catch (error) {
    studio.problem = describe(error);
  }
}

/** A replay file whose model or data are not open yet. */
let replaying: Replay | null = null;

function replayOf(text: string): Replay | null {
  try {
    return readReplay(text);
  } catch {
    throw new ReadFault('format', words.replay.broken.text);
  }
}

// Takes over what a replay file says, with what is dropped beside it or open already.
async function replayed(replay: Replay, model: ModelSource | null, bags: BagSource | null): Promise<void> {
  applyLink(decode(replay.link));
  Object.assign(studio.choice.options, replay.options);
  const { index } = studio;
  const patch = replay.patch ?? undefined;
  const source = bags ?? (patch ? studio.bagSource : null);
  await open(model, source && { ...source, patch }, { index, keep: true });
  if (!model && !source) await go(index, { keep: true });
  const opened = { name: studio.modelSource?.name ?? '', sha256: held.model?.info.sha256 ?? null };
  const data = studio.extras ? await studio.extras.dataNamed() : [];
  const other = differing(replay, opened, data);
  const say = words.replay;
  if (!other.model && !other.data) {
    replaying = null;
    studio.said = studio.note = say.same;
    return;
  }
  const names = replay.data.map((d) => d.name).join(', ');
  const wanted = [
    other.model && !model && say.model(replay.model.name),
    other.data && !bags && say.bag(names),
  ].filter(Boolean);
  if (wanted.length > 0) studio.problem = say.wait(wanted.join(say.and));
  else {
    replaying = null;
    studio.problem = other.model ? say.other('model', replay.model.name) : say.other('data', names);
  }
}

/** Lets go of everything of the user's: files, results, what the browser stored for this page. The example is shown. */
export async function forget(): Promise<void> {
  cancelAll();
  replaying = waiting = null;
  studio.waitingFiles = [];
  [held.batch, studio.judged, studio.compare, studio.note] = [null, null, null, ''];
  for (const store of [() => localStorage, () => sessionStorage]) {
    try {
      store().clear();
    } catch {
      // Storage is forbidden here, so that nothing is in it.
    }
  }
  applyLink({ options: {} });
  [studio.view, studio.top, studio.opacity, studio.tab, studio.face] = ['picture', 0, 0.6, '', -1];
  history.replaceState(null, '', location.pathname + location.search);
  await openExample();
  studio.said = words.privacy.forgot;
}

// Of several files that are a bag each, the first is opened, and the table offers all.
function several(files: readonly File[]): readonly File[] {
  const data = files.filter((f) => isData(f.name));
  if (files.length > 0) studio.waitingFiles = data.length > 1 ? data : [];
  return data.length > 1 ? data.slice(0, 1) : files;
}

// A drop with a file that an earlier one waits for, and no model of its own, completes that.
function completed(files: readonly File[]): readonly File[] {
  const helps = !sort(files).model && files.some((f) => waiting?.names.includes(f.name));
  return helps ? [...waiting!.files, ...files] : files;
}

/** Opens files that a table names, at one of their bags. */
export async function openSource(files: readonly FileLike[], index: number): Promise<void> {
  if (files === studio.bagSource?.files) return go(index);
  await open(null, bagSource(files), { index, listed: true });
}

// The engine reads the files: large ones never lie in the page's memory.
function bagSource(files: readonly FileLike[]): BagSource | null {
  if (files.length === 0) return null;
  return { name: files.length === 1 ? files[0]!.name : words.sources.files(files.length), files };
}

async function bytesOf(file: File): Promise<Uint8Array> {
  return new Uint8Array(await file.arrayBuffer());
}

// Opens a model, a bag set or both. Each takes the place of the old one only when it could be read; meanwhile nothing of
// the old is shown. What is asked for meanwhile waits, so that a model and then its bag, chosen one after the other, are
// both there at the end.
function open(model: ModelSource | null, bags: BagSource | null, at: Place = {}): Promise<void> {
  [studio.problem, studio.note] = [null, ''];
  if (!at.first) studio.poster = false;
  const leave = enter(at.again ? NEITHER : { model: model?.name ?? '', bag: bags?.name ?? '' });
  const read = opening.then(() => openBoth(model, bags, at));
  opening = read;
  return studio.while(async () => {
    try {
      const place = await read;
      if (place) await go(place.index ?? 0, { ...place, leave });
    } finally {
      leave();
    }
  });
}

const NEITHER: Opening = { model: '', bag: '' };

// Shows that something is being opened, until the function that it returns is called.
function enter(names: Opening): () => void {
  const entry = { ...names };
  if (entry.model || entry.bag) studio.said = words.opening.said([entry.model, entry.bag].filter(Boolean));
  studio.openings = [...studio.openings, entry];
  return () => (studio.openings = studio.openings.filter((o) => o !== entry));
}

// Returns what is to be shown then, null when nothing new could be opened.
async function openBoth(model: ModelSource | null, bags: BagSource | null, at: Place): Promise<Place | null> {
  if (!studio.engine) return null;
  const opened = model && (await openModel(model));
  if (model && !opened) return null;
  const tensors = Object.values(opened?.source.external ?? {}).map((f) => f.name);
  if (bags && tensors.length > 0) bags = bagSource(bags.files.filter((f) => !tensors.includes(f.name)));
  // How a picture is cut depends on the model's card.
  const pictures = studio.bagSource?.files.every((f) => isPicture(f.name));
  const source = bags ?? (model && pictures ? studio.bagSource : null);
  // Nor does the example's model say how a file of the reader's own is cut.
  const alone = !model && source && !isExample(source) && isExample(studio.modelSource);
  const by = opened?.model ?? (alone ? null : held.model);
  const lost = opened && !isExample(opened.source) && isExample(studio.bagSource);
  const reading = source && openSet(source, at.index ?? 0, by, lost ? null : studio.bagSource);
  if (opened) {
    await asked();
    useModel(opened, at.keep ?? false);
  }
  const read = await reading;
  // The example's other half answers nothing about a file of the reader's own: that half is asked for instead.
  if (opened && !read && !isExample(opened.source) && isExample(studio.bagSource)) closeSet();
  if (read && !opened && !isExample(read.source) && isExample(studio.modelSource)) closeModel();
  if (read) return { ...at, read };
  return model && { index: studio.index, keep: true };
}

const isExample = (source: ModelSource | BagSource | null): boolean =>
  source !== null &&
  example !== null &&
  ('bytes' in source
    ? source.bytes === example.model
    : source.files.some((f) => 'data' in f && f.data === example!.bags));

function closeModel(): void {
  held.model?.close();
  [held.model, studio.modelSource] = [null, null];
  dropBatch();
  held.forgetAnswers();
  studio.said = studio.note = words.told.needsModel;
}

function closeSet(): void {
  cancelAll();
  closeBag();
  held.set?.close();
  release(held.prepared, null);
  [held.set, studio.bagSource, held.prepared, studio.draft] = [null, null, null, null];
  studio.said = studio.note = words.told.needsBag;
}

/** Returns when what was asked of the engine is on its way: it works while the page renders. */
const asked = () => new Promise((resolve) => setTimeout(resolve));

interface Place {
  /** Which bag of the set; default the first. */
  index?: number;
  /** Whether instances that are out stay out. */
  keep?: boolean;
  /** A set that takes the place of the open one, with the bag itself. */
  read?: ReadSet;
  /** Called when the bag is the open one, and the page may show it. */
  leave?: () => void;
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
interface ReadSet {
  set: BagSet;
  bag: Bag;
  source: BagSource;
  prepared: Prepared;
}

async function openModel(source: ModelSource): Promise<OpenedModel | null> {
  try {
    const [model, external] = await openParts(source);
    return { model, source: { ...source, external } };
  } catch (error) {
    const paths = missing(error);
    if (paths) waiting = { files: source.files ?? [], names: paths.map(base) };
    const drop = paths && words.told.drop(paths.length);
    const old = studio.modelSource && words.told.still(studio.modelSource.name);
    studio.problem = describe(error, [drop, old].filter(Boolean).join(' '));
    return null;
  }
}

function useModel({ model, source }: OpenedModel, keep: boolean): void {
  // What suits the example suits no other model.
  if (!isExample(source) && isExample(studio.modelSource) && studio.choice.settings === bundle.settings) {
    studio.choice.settings = '';
    if (studio.choice.options.samples === bundle.samples) delete studio.choice.options.samples;
  }
  held.model?.close();
  [held.model, studio.modelSource, waiting] = [model, source, null];
  dropBatch();
  clearAnswers();
  if (!keep) studio.wanted = null;
}

// Only the engine knows which files a model keeps tensors in, so that it is asked first.
async function openParts(source: ModelSource): Promise<[Model, Record<string, File>]> {
  const { name, card, bytes, files = [] } = source;
  try {
    return [await studio.engine!.open(bytes, { name, card }), {}];
  } catch (error) {
    const external = given(missing(error) ?? [], files);
    if (Object.keys(external).length === 0) throw error;
    return [await studio.engine!.open(bytes, { name, card, external }), external];
  }
}

// Reads a set and the bag of it that is to be seen: a set may be sound and that bag not.
async function openSet(
  source: BagSource,
  index: number,
  model: Model | null,
  old: BagSource | null,
): Promise<ReadSet | null> {
  let set: BagSet | null = null;
  let made: Prepared | null = null;
  const before = held.prepared;
  try {
    const { files, patch, ready } = source;
    made = ready ? untouched(files) : await prepare(files, patch, model?.info ?? null, before);
    set = await studio.engine!.bags(made.files, { name: source.name, model: model ?? undefined });
    const bag = await set.bag(Math.min(index, set.length - 1));
    return { set, bag, source, prepared: made };
  } catch (error) {
    set?.close();
    release(made, before);
    studio.problem = describe(error, old ? words.told.still(old.name) : '');
    return null;
  }
}

function useSet({ set, source, prepared }: ReadSet): void {
  const before = held.prepared;
  held.set?.close();
  [held.set, studio.bagSource, held.prepared, studio.draft] = [set, source, prepared, null];
  release(before, prepared);
}

// Closes a picture that nothing shows any more.
function release(one: Prepared | null, kept: Prepared | null): void {
  if (one?.picture && one.picture.id !== kept?.picture?.id) void reader.close(one.picture.id);
}

/** Opens the same model in another way, and the bag with it. */
export async function openAgain(model: ModelSource): Promise<void> {
  await open(model, null, { index: studio.index, keep: true, again: true });
}

/** Cuts the open picture again. */
export async function recut(patch: PatchOptions): Promise<void> {
  if (studio.bagSource) await open(null, { ...studio.bagSource, patch }, { again: true });
}

/** Shows a bag of the open set, and explains it. Instances that were out are put back unless kept. */
export function go(index: number, place: Place = {}): Promise<void> {
  return studio.while(() => show(index, place));
}

// Between the last state that it sets and the asking nothing is waited for, so that the engine is asked before the page renders.
async function show(index: number, { keep = false, read, leave, listed }: Place): Promise<void> {
  if (read) {
    useSet(read);
    if (!listed) dropBatch();
  }
  const { set } = held;
  if (!set || set.length === 0) return;
  const mine = ++turn;
  cancelAll();
  cancelJudging();
  leave ??= enter(NEITHER);
  const at = Math.min(Math.max(index, 0), set.length - 1);
  try {
    const bag = read?.bag ?? (await set.bag(at));
    const { picture = null, cut = null, extent = null } = held.prepared ?? {};
    const found = bag.boxes ? await placeOf(bag, picture, cut !== null, extent) : null;
    const [place, why] = typeof found === 'string' ? [null, found] : [found, ''];
    if (mine !== turn) {
      leavePlace(place);
      return bag.close();
    }
    leavePlace(held.place);
    [held.place, held.unplaced] = [place, why];
    held.bag?.close();
    const out = keep ? held.out.filter((i) => i < bag.instances) : [];
    held.out = out.length < bag.instances ? out : [];
    studio.left &&= held.out.length > 0;
    [held.bag, studio.index, studio.active] = [bag, at, null];
    clearAnswers();
  } catch (error) {
    if (mine !== turn) return;
    // Of a new set nothing can be shown, and of the old one nothing may be.
    if (read) closeBag();
    studio.problem = describe(error, held.bag ? words.told.stays(held.bag.name) : '');
    return;
  } finally {
    leave();
  }
  await reask();
}

// The example's stored prediction stands until its own is there.
function clearAnswers(): void {
  const { whole } = held;
  held.forgetAnswers();
  if (studio.poster) held.whole = whole;
}

function closeBag(): void {
  leavePlace(held.place);
  held.bag?.close();
  [held.place, held.unplaced, held.bag, held.out, studio.active] = [null, '', null, [], null];
  held.forgetAnswers();
}

function dropBatch(): void {
  held.batchRun?.abort();
  [held.batch, held.batchRun] = [null, null];
}

/** Takes an instance out of the bag, or puts it back, and predicts again. */
export async function toggle(instance: number): Promise<void> {
  const { bag, out } = held;
  if (!bag) return;
  const isOut = out.includes(instance);
  if (!isOut && out.length + 1 >= bag.instances) {
    studio.problem = words.lastInstance;
    return;
  }
  await take(isOut ? out.filter((i) => i !== instance) : [...out, instance].sort((a, b) => a - b));
  studio.said = words.told.moved(instance, isOut, now());
}

/** Takes many instances out at once, or puts them back where all of them are out. At least one stays in. */
export async function toggleMany(instances: readonly number[]): Promise<void> {
  const { bag, out } = held;
  if (!bag || instances.length === 0) return;
  const chosen = new Set(instances);
  const back = instances.every((i) => out.includes(i));
  const left = back ? out.filter((i) => !chosen.has(i)) : [...new Set([...out, ...chosen])];
  if (left.length >= bag.instances) {
    studio.problem = words.lastInstance;
    return;
  }
  await take(left.sort((a, b) => a - b));
  studio.said = `${words.moved(instances.length, back)} ${now()}`;
}

/** Puts all instances back. */
export async function putAllBack(): Promise<void> {
  await take([]);
  studio.said = words.told.allBack(now());
}

/** Explains what is left of the bag, or the whole of it again. */
export async function explainLeft(left: boolean): Promise<void> {
  studio.left = left;
  await explain();
}

async function take(out: number[]): Promise<void> {
  held.out = out;
  const again = studio.left;
  if (out.length === 0) studio.left = false;
  await predictRest();
  if (again) await explain();
}

function now(): string {
  const p = held.rest?.prediction ?? held.whole;
  if (!p) return '';
  const c = studio.predicted;
  const x = p.prediction[c] ?? NaN;
  return words.told.now(studio.className(c), studio.probability ? percent(x) : plain(x));
}

/** Takes over what a link says. */
export function applyLink(link: Link): void {
  const { choice } = studio;
  choice.method = link.method ?? USUAL_METHOD;
  choice.settings = link.settings ?? '';
  choice.output = link.output ?? '';
  choice.seed = link.seed === undefined ? '' : String(link.seed);
  choice.options = { ...link.options };
  studio.wanted = link.classes ?? null;
  studio.index = link.bag ?? 0;
  held.out = link.out ?? [];
  studio.left = link.left ?? false;
  const [method, of] = link.against?.split('.') ?? [];
  studio.compare = method ? { method, class: Number(of) } : null;
}

/** Follows a link while the page is open. */
export async function follow(link: Link): Promise<void> {
  applyLink(link);
  await go(studio.index, { keep: true });
}

/** Tries again after the engine failed: it starts afresh by itself and reads model and bag once more. */
export async function retry(): Promise<void> {
  studio.problem = null;
  if (studio.phase === 'ready') await go(studio.index, { keep: true });
  else location.reload();
}
