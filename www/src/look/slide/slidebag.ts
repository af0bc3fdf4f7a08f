// From the open slide to a bag: the encoder, the grid, encoding in stages, the file of features.
import { BagscopeError, type Bag, type Box, type ModelInfo } from 'bagscope';
import { save } from '../../lib/save';
import { loaded } from '../state/document.svelte';
import { question, removeExactly } from '../state/question.svelte';
import { announce, fail, notify, session, whileBusy } from '../state/session.svelte';
import { regionFile, type Region } from './regions';
import * as state from './tiling.svelte';
import { START, tiling, type Lay, type Role } from './tiling.svelte';
import type { Bags } from '../state/types';
import { tiling as words } from '../../strings';
import { isExample } from '../open/example';
import { missing, withParts } from '../open/external';
import { cardName, role, sort } from '../open/files';
import { instanceShape } from '../state/instanceshape';
import { describe, isCancelled } from '../state/problem';
import { show } from '../open/openbag';
import { isAlone } from '../open/prepare';
import { MOST_BYTES } from '../open/replay';

/** Work of so many milliseconds is explained once, at its end. */
const SHORT = 8000;
/** Patches that show how long one takes. The first one also compiles the model. */
const TRIED = [1, 3] as const;

/** Milliseconds between two drawings of what is encoded: of 100,000 patches one takes a few. */
const REDRAWN = 200;

let running: AbortController | null = null;
/** The last request to lay patches; a newer one makes it moot. */
let turn = 0;
let laidFor: unknown = null;

const text = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Whether the open slide can become a bag: nothing else brought its features. */
export function tileable(): boolean {
  const { prepared } = loaded;
  return prepared?.slide != null && isAlone(prepared) && !prepared.picture;
}

/** Whether a model takes features, which an encoder makes of patches. */
export const takesFeatures = (info: ModelInfo | null) => instanceShape(info).length === 1;

/** How patches are laid: as entered, else as the cards state, the model's before the encoder's. */
export function layOf(): Lay {
  const own = loaded.model?.info ?? null;
  const encoder = tiling.encoder?.encoder.info ?? null;
  const sides = instanceShape(encoder ?? (takesFeatures(own) ? null : own));
  const fixed = (sides.at(-1) ?? 0) > 1 ? sides.at(-1)! : null;
  const size = own?.patch?.size || encoder?.patch?.size || fixed;
  const patch = [own, encoder].find((info) => info?.patch)?.patch;
  const overlap = patch && patch.stride > 0 ? Math.max(0, patch.size - patch.stride) : 0;
  // Without a scale of its own, the slide has its pixels alone.
  const unknown = loaded.prepared?.slide?.micronsX === 0 ? 0 : null;
  const microns = own?.microns || encoder?.microns || unknown;
  return { ...START, size, microns, overlap, ...tiling.entered };
}

/**
 * Opens the encoder among files: an .onnx file, its card, and files in which it keeps tensors. Returns
 * whether there is one; the page says why there is none.
 */
export async function useEncoder(files: readonly File[]): Promise<boolean> {
  const { model, card } = sort(files);
  if (!model) {
    state.refuse(words.notONNX);
    return false;
  }
  const { name } = model;
  try {
    const [encoder] = await whileBusy(async () => {
      const text = await card?.text();
      return withParts(files, (external) =>
        session.engine!.encoder(model, { name, external, ...(text && { card: text }) }),
      );
    });
    stop();
    state.putEncoder({ name, encoder, files });
    notify(''); // it may have asked for an encoder
  } catch (error) {
    const paths = missing(error);
    fail('opening', describe(error, paths ? words.together(paths.length) : ''));
    return false;
  }
  await lay();
  return true;
}

/** Whether a file is what another library states of the pictures that its model takes. */
const isConfiguration = async (file: File) =>
  file.size <= MOST_BYTES && (await session.engine!.recognise(file)) === 'configuration';

/**
 * Opens the encoder again with a card, if the card is the configuration of an encoder: a model of
 * features has no use for it. Returns whether it is.
 */
export async function describeEncoder(card: File): Promise<boolean> {
  const { encoder } = tiling;
  if (!encoder || !takesFeatures(loaded.model?.info ?? null) || !(await isConfiguration(card)))
    return false;
  return useEncoder([...encoder.files.filter((f) => role(f.name) !== 'card'), card]);
}

/** Lays patches on the slide. Features that are known stay where the patches stay. */
export async function lay(): Promise<void> {
  const slide = loaded.prepared?.slide;
  const mine = ++turn;
  if (!slide || !tileable()) return;
  stop();
  const { size, microns, overlap, threshold, least, whole } = layOf();
  const { tissue, exclude, places } = tiling.files;
  const drawn = tiling.regions.length > 0 && regionFile(tiling.regions, words.regions.name);
  state.beginLaying();
  try {
    // The tissue that is found is not that of a file.
    const mask = whole || tissue || places ? null : await slide.tissue({ threshold });
    if (mine !== turn) return;
    state.putMask(mask);
    if (size === null || (microns === null && !places)) {
      state.putPatches(null);
      return state.refuse(size === null ? words.sizeMissing : words.micronsMissing);
    }
    const patches = await slide.patches({
      ...{ patchSize: size, microns: microns ?? 0, overlap, minTissue: least },
      tissue: whole ? null : { threshold },
      ...(tissue && { tissueFile: tissue }),
      exclude: [exclude, drawn].filter((file) => file instanceof File),
      ...(places && { places }),
      ...(tiling.encoder && { encoder: tiling.encoder.encoder }),
      ...(loaded.model && !takesFeatures(loaded.model.info) && { model: loaded.model }),
      ...(tiling.patches && laidFor === slide && { from: tiling.patches }),
    });
    if (mine !== turn) return patches.close();
    laidFor = slide;
    state.putPatches(patches);
    void measure();
  } catch (error) {
    if (mine === turn) {
      state.putPatches(null);
      state.refuse(text(error));
    }
  } finally {
    if (mine === turn) state.endLaying();
  }
}

/** Lays patches by a file, or without the one before. */
export async function layBy(role: Role, file?: File): Promise<void> {
  state.putFile(role, file);
  await lay();
}

/** Leaves a region of the slide out, or for null takes the last one back. */
export async function leaveOut(region: Region | null): Promise<void> {
  const { regions } = tiling;
  state.putRegions(region ? [...regions, region] : regions.slice(0, -1));
  await lay();
}

/** Whether the features of the patches can be saved: they have some, and are no pictures. */
export const saveable = () => tiling.encoded.length > 0 && tiling.patches?.shape.length === 1;

/** Whether the patches can be encoded: there is an encoder, or the model takes pictures. */
export function encodable(): boolean {
  const info = loaded.model?.info ?? null;
  return (
    tiling.patches !== null && (tiling.encoder !== null || (info !== null && !takesFeatures(info)))
  );
}

/** Measures how long a patch takes, by the first ones. They stay encoded. */
async function measure(): Promise<void> {
  const { patches } = tiling;
  if (!patches || !encodable() || tiling.pace > 0 || running) return;
  const mine = (running = new AbortController());
  const { signal } = mine;
  const [first, last] = TRIED;
  try {
    await patches.encode({ until: 0, signal }); // a model that takes pictures is split first
    const began = performance.now();
    await patches.encode({ until: first, signal });
    const once = performance.now() - began;
    // A slow encoder shows its pace at once.
    if (once < SHORT && patches.encoded.length < last) {
      const again = performance.now();
      await patches.encode({ until: last, signal });
      state.putPace((performance.now() - again) / (last - first));
    } else state.putPace(once);
  } catch (error) {
    if (!isCancelled(error)) state.refuse(text(error));
  } finally {
    state.readEncoded();
    if (running === mine) running = null;
  }
}

/** Encodes all patches, and explains those that are done after each stage. */
export async function encode(): Promise<void> {
  stop();
  const { patches } = tiling;
  if (!patches || !encodable()) return;
  const mine = (running = new AbortController());
  const { signal } = mine;
  const total = patches.order.length;
  const from = patches.encoded.length;
  const began = performance.now();
  let drawn = 0;
  notify('');
  const put = (done: number) => state.putRunning({ done, total, from, began });
  put(from);
  try {
    const long = tiling.pace * (total - from) > SHORT;
    for (const until of long ? patches.stages : [total]) {
      if (until <= patches.encoded.length && until < total) continue;
      await patches.encode({
        ...{ until, signal },
        onProgress: (done) => {
          if (performance.now() - drawn < REDRAWN) return;
          drawn = performance.now();
          put(done);
          state.readEncoded(done);
        },
      });
      state.readEncoded();
      state.putPace((performance.now() - began) / Math.max(1, until - from) || tiling.pace);
      await explainEncoded();
      signal.throwIfAborted();
    }
  } catch (error) {
    if (!isCancelled(error)) state.refuse(text(error));
    else if (tiling.patches === patches) announce(words.stopped(patches.encoded.length));
  } finally {
    if (running === mine) running = null;
    if (tiling.patches === patches) {
      state.readEncoded();
      state.putRunning(null);
    }
  }
}

/** Stops encoding. What is encoded stays. */
export function stop(): void {
  running?.abort();
  running = null;
  state.putRunning(null);
}

/** Makes the patches that are encoded the open bag, and explains it. */
export async function explainEncoded(): Promise<void> {
  const { patches } = tiling;
  const { prepared, bagSource } = loaded;
  if (!patches || !prepared || !bagSource || !loaded.model || patches.encoded.length === 0) return;
  const bag = await patches.bag();
  const [n, total] = [bag.instances, patches.order.length];
  const set: Bags = {
    length: 1,
    names: [bag.name],
    notes: [...(n < total ? [words.note(n, total)] : []), ...patches.notes],
    cut: null,
    bag: () => patches.bag(),
    close: () => {},
  };
  keepRemoved(bag);
  await show({ opened: { set, bag, source: bagSource, prepared }, keep: true });
}

/** Leaves removed what the user removed from the patches that were encoded before. */
function keepRemoved({ boxes }: Bag): void {
  const before = loaded.bag?.boxes;
  if (!before || !boxes || question.removed.length === 0) return removeExactly([]);
  const place = (b: Box | undefined) => `${b?.x},${b?.y}`;
  const out = new Set(question.removed.map((i) => place(before[i])));
  removeExactly(boxes.flatMap((b, i) => (out.has(place(b)) ? [i] : [])));
}

/** Saves the features of the patches that are encoded. */
export async function saveFeatures(): Promise<void> {
  const { patches } = tiling;
  const name = loaded.prepared?.slide?.name.replace(/\.[a-z0-9]+$/i, '') ?? 'slide';
  if (!patches) return;
  try {
    const bytes = await whileBusy(() => patches.file());
    save(`${name}.h5`, 'application/x-hdf5', bytes);
  } catch (error) {
    state.refuse(text(error));
  }
}

/** Takes the features of a file that was saved before. */
export async function resumeFrom(file: File): Promise<void> {
  const { patches } = tiling;
  if (!patches) return;
  stop();
  try {
    await whileBusy(() => patches.resume(file, file.name));
    state.readEncoded();
    announce(words.resumed(patches.encoded.length, file.name));
  } catch (error) {
    state.refuse(text(error));
  }
}

/** Begins anew where another slide or another model is open, and goes on where the slide is the same. */
export async function follow(): Promise<void> {
  const slide = loaded.prepared?.slide ?? null;
  if (slide !== laidFor || !tileable()) {
    stop();
    turn++;
    state.leaveSlide();
    laidFor = null;
  }
  if (!slide || !tileable()) return;
  await lay();
  if (encodable()) notify(''); // it may have asked for features
  const { patches } = tiling;
  const bundled = isExample(loaded.bagSource) && isExample(loaded.modelSource);
  if (bundled && patches && patches.encoded.length < patches.order.length) await encode();
}

/**
 * Of two models among files the encoder, with the files in which it keeps tensors and its card: the
 * only one that is an encoder, or the one that the other's card names. If neither is one and a model
 * lacks such files, it throws the error that names them. Its card has its name, or is the
 * configuration of an encoder.
 */
export async function pair(
  models: readonly File[],
  files: readonly File[],
): Promise<readonly File[] | null> {
  let lacking: unknown = null;
  const able = await Promise.all(
    models.map(async (file) => {
      try {
        const [encoder, external] = await withParts(files, (external) =>
          session.engine!.encoder(file, { name: file.name, external }),
        );
        const { info } = encoder;
        encoder.close();
        return { encoder: file, tensors: Object.values(external), names: info.encoder };
      } catch (error) {
        if (missing(error)) lacking = error;
        if (error instanceof BagscopeError) return null;
        throw error;
      }
    }),
  );
  const found = able.filter((a) => a !== null);
  if (found.length === 0 && lacking) throw lacking;
  const one =
    found.length === 1
      ? found[0]
      : found.find((a) => found.some((b) => b !== a && b.names === a.encoder.name));
  if (!one) return null;
  const { encoder, tensors } = one;
  const cards = files.filter((f) => role(f.name) === 'card');
  const named = (model: File) => cards.find((f) => f.name === cardName(model.name));
  let card = named(encoder);
  for (const other of cards)
    if (!card && !models.some((m) => named(m) === other) && (await isConfiguration(other)))
      card = other;
  return [encoder, ...(card ? [card] : []), ...tensors];
}
