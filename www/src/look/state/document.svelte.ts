// The document: the model and the bag that are open. Only this module writes it.
import type { Bag, Covariates, FileLike, Model, PictureCut, SlideImage } from 'bagscope';
import { brief } from './brief';
import type { Prepared } from '../state/types';
import type { Place } from '../place/place';
import { hold, session } from './session.svelte';
import type { Bags, BagSource, ModelSource } from './types';

/** Names by the instance: by its place, so that they stay with it when it is cut again, else by index. */
export type Given = Readonly<Record<string, string>>;

class DocumentState {
  modelSource = $state.raw<ModelSource | null>(null);
  model = $state.raw<Model | null>(null);
  /** The mean of several models, and each of them; empty for one model. */
  models = $state.raw<readonly Model[]>([]);
  /** Which of `models` is explained. */
  which = $state(0);
  /** Names that the user gave the classes; null leaves them as the model has them. */
  classNames = $state.raw<readonly string[] | null>(null);
  bagSource = $state.raw<BagSource | null>(null);
  bagSet = $state.raw<Bags | null>(null);
  /** The files of the set as the engine reads them. */
  prepared = $state.raw<Prepared | null>(null);
  bag = $state.raw<Bag | null>(null);
  /** The index of the bag in its set. */
  index = $state(0);
  /** Where the instances of the bag lie, or null. */
  place = $state.raw<Place | null>(null);
  /** Why a picture that came with the bag is not drawn beneath it; '' otherwise. */
  unplaced = $state('');
  /** What the user states that inputs beside bags take: by their files, and then by index. */
  covariates = $state.raw<ReadonlyMap<BagSource['files'], Readonly<Record<number, Covariates>>>>(
    new Map(),
  );
  /** Names that the user gave instances, by the files of their bags, the bag and the instance. */
  given = $state.raw<ReadonlyMap<BagSource['files'], Readonly<Record<number, Given>>>>(new Map());
  /** Files that were dropped together, each of them a bag or several; empty if there was one. */
  offeredFiles = $state.raw<readonly FileLike[]>([]);
}

const state = new DocumentState();

/**
 * What is open, also while other files are being opened. Only the code that opens files needs it.
 */
export const loaded: Readonly<DocumentState> = state;

/**
 * The document as the page shows it: while a model or a bag is being opened, the one before is not
 * shown.
 */
class DocumentView {
  modelName = $derived(
    brief(
      session.openingModel ||
        (state.models[state.which]?.info.name ?? state.modelSource?.name ?? ''),
    ),
  );
  bagName = $derived(brief(session.openingBag || (state.bagSource?.name ?? '')));
  /** The names of the bags of the set. */
  bagNames = $derived((session.openingBag ? null : state.bagSet)?.names.map(brief) ?? []);

  /** The names of the instances of the bag, '' for none: the user's, else those of the files. */
  instanceNames = $derived.by<readonly string[]>(() => {
    const { bag, bagSource, index } = state;
    const given = (bagSource && givenFor(bagSource.files, index)) ?? {};
    const own = bag?.instanceNames ?? [];
    if (!bag || Object.keys(given).length === 0) return own;
    const names = Array.from({ length: bag.instances }, (_, i) => given[keyOf(bag, i)]);
    if (!names.some(Boolean)) return own;
    return names.map((name, i) => name ?? own[i] ?? '');
  });

  /** The names of the values of an instance: those of the files, else those of the model's card. */
  featureNames = $derived.by<readonly string[]>(() => {
    const { bag, model } = state;
    const own = bag?.featureNames ?? [];
    const card = model?.info.featureNames ?? [];
    const values = bag?.shape.reduce((a, n) => a * n, 1);
    return own.length === 0 && card.length === values ? card : own;
  });

  /** Whether anything is open. */
  get open(): boolean {
    return state.model !== null || state.bagSource !== null;
  }
  get modelSource(): ModelSource | null {
    return state.modelSource;
  }
  get classNames(): readonly string[] | null {
    return state.classNames;
  }
  get bagSource(): BagSource | null {
    return state.bagSource;
  }
  get offeredFiles(): readonly FileLike[] {
    return state.offeredFiles;
  }
  get index(): number {
    return state.index;
  }
  get model(): Model | null {
    return session.openingModel ? null : state.model;
  }
  get models(): readonly Model[] {
    return session.openingModel ? [] : state.models;
  }
  get which(): number {
    return state.which;
  }
  get bagSet(): Bags | null {
    return session.openingBag ? null : state.bagSet;
  }
  get prepared(): Prepared | null {
    return session.openingBag ? null : state.prepared;
  }
  /** How the picture of the set was cut; null if there is none. */
  get cut(): PictureCut | null {
    return this.bagSet?.cut ?? null;
  }
  get bag(): Bag | null {
    return session.opening ? null : state.bag;
  }
  get place(): Place | null {
    return session.opening ? null : state.place;
  }
  /** The slide beneath the patches, or the one that is open alone. */
  get slide(): SlideImage | null {
    return session.openingBag ? null : (state.prepared?.slide ?? null);
  }
  get unplaced(): string {
    return session.opening ? '' : state.unplaced;
  }
}

export const doc: Readonly<DocumentView> = new DocumentView();

const changed = () => hold(state.model !== null && state.bag !== null);

/**
 * Puts another model in place of the open one, or the mean of several. Names given to its classes
 * stay if its file is the same.
 */
export function replaceModel(
  model: Model,
  source: ModelSource,
  folds: readonly Model[] = [],
): void {
  if (source.bytes !== state.modelSource?.bytes) state.classNames = null;
  closeModels();
  [state.model, state.modelSource] = [model, source];
  state.models = folds.length > 0 ? [model, ...folds] : [];
  useModel(state.which);
  changed();
}

/**
 * Explains the mean of the open models, 0, or one of them from then on; the mean if there is no such
 * model. Until models are open, `which` is of those to come.
 */
export function useModel(which: number): void {
  const { models } = state;
  state.which = models.length > 0 && which >= models.length ? 0 : which;
  state.model = models[state.which] ?? state.model;
}

/** The files of the open models: one, or those of the mean. */
export function openModels(): { name: string; sha256: string }[] {
  const { model, models, modelSource } = state;
  if (!model || !modelSource) return [];
  const sources = [modelSource, ...(modelSource.folds ?? [])];
  const each = models.length > 0 ? models.slice(1) : [model];
  return each.map(({ info }, n) => ({ name: sources[n]!.name, sha256: info.sha256 }));
}

function closeModels(): void {
  for (const model of new Set([...state.models, state.model])) model?.close();
  state.models = [];
}

/** Names the classes; null gives them back the names of the model. */
export const nameClasses = (names: readonly string[] | null) => void (state.classNames = names);

export function closeModel(): void {
  closeModels();
  [state.model, state.modelSource, state.classNames] = [null, null, null];
  changed();
}

/**
 * Puts another set in place of the open one, whose bag stays until the next is shown. Null if a
 * slide is looked at without a bag.
 */
export function replaceSet(bagSet: Bags | null, source: BagSource, prepared: Prepared): void {
  state.bagSet?.close();
  [state.bagSet, state.bagSource, state.prepared] = [bagSet, source, prepared];
}

/** States the truth of the patches of the open slide, null for none. */
export const stateTruth = (file: File | null) =>
  void (state.bagSource &&= { ...state.bagSource, annotations: file ?? undefined });

/** What the user states that inputs beside a bag of these files take. */
export const statedFor = (files: BagSource['files'], index: number): Covariates =>
  state.covariates.get(files)?.[index] ?? {};

/** States what inputs beside a bag of these files take. */
export function stateFor(files: BagSource['files'], index: number, stated: Covariates): void {
  const others = state.covariates.get(files);
  state.covariates = new Map(state.covariates).set(files, { ...others, [index]: stated });
}

/** The names that the user gave instances of a bag of these files. */
export const givenFor = (files: BagSource['files'], index: number): Given =>
  state.given.get(files)?.[index] ?? {};

/** Names instances of a bag of these files. */
export function nameInstances(files: BagSource['files'], index: number, names: Given): void {
  state.given = new Map(state.given).set(files, { ...state.given.get(files), [index]: names });
}

/** What an instance is named by: see Given. */
function keyOf({ boxes }: Bag, instance: number): string {
  const box = boxes?.[instance];
  return box ? [box.x, box.y, box.width, box.height].join() : String(instance);
}

/** Names an instance of the open bag; '' gives it back the name that its file has. */
export function nameInstance(instance: number, name: string): void {
  const { bagSource, bag, index } = state;
  if (!bagSource || !bag) return;
  const { [keyOf(bag, instance)]: _, ...others } = givenFor(bagSource.files, index);
  const given = name.trim();
  const same = given === '' || given === bag.instanceNames[instance];
  nameInstances(bagSource.files, index, {
    ...others,
    ...(same ? {} : { [keyOf(bag, instance)]: given }),
  });
}

/** Shows a bag of the open set. `unplaced` says why its picture has no place, '' otherwise. */
export function replaceBag(bag: Bag, index: number, place: Place | null, unplaced: string): void {
  state.bag?.close();
  [state.bag, state.index, state.place, state.unplaced] = [bag, index, place, unplaced];
  changed();
}

export function closeBag(): void {
  state.bag?.close();
  [state.bag, state.place, state.unplaced] = [null, null, ''];
  changed();
}

export function closeSet(): void {
  closeBag();
  state.bagSet?.close();
  [state.bagSet, state.bagSource, state.prepared] = [null, null, null];
  [state.covariates, state.given] = [new Map(), new Map()];
}

/** The index of the bag that a link names. */
export const expectBag = (index: number) => void (state.index = index);

/** Offers to explain each of these files. */
export const offerFiles = (files: readonly FileLike[]) => void (state.offeredFiles = files);
