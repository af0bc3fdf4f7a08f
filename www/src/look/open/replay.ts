// A file that brings an explanation back: which model and data by their hashes, and everything that
// was asked.
import type { Covariates, PatchOptions } from 'bagscope';
import type { Given } from '../state/document.svelte';

/** The most bytes of a JSON file that is read: settings of a replay file, a card in it or alone. */
export const MOST_BYTES = 16 << 20;

/** Marks such a file among other JSON files. */
const FORMAT = 'bagscope-replay';
/** The version of the format. A file without one has this version. */
const VERSION = 1;

/** A replay file of a version that this page does not know. */
export class VersionError extends Error {}

export interface Named {
  name: string;
  /** Null where the browser does not hash, as on pages that came over an open connection. */
  sha256: string | null;
}

export interface Replay {
  format: typeof FORMAT;
  engine: string;
  model: Named;
  /** Further models that are one with it; empty for one model, and in older files. */
  folds: (Named & { card: string | null })[];
  /** A model card that was given beside the model, or null; each of the folds has its own. */
  card: string | null;
  data: Named[];
  /** How a picture was cut, or null. */
  patch: PatchOptions | null;
  /** The name of the array of features that was chosen, or null. */
  array: string | null;
  /** What the user stated that inputs beside the bag take, or null. */
  inputs: Covariates | null;
  /** Names that the user gave instances of the bag; null for none. */
  names: Given | null;
  /**
   * The state as the address holds it: method, settings, seed, classes, bag, instances that are
   * out.
   */
  link: string;
  /** Options as the form has them, those too that no address holds. */
  options: Record<string, string>;
}

export function replayJSON(replay: Omit<Replay, 'format'>): string {
  return JSON.stringify({ format: FORMAT, version: VERSION, ...replay }, null, 1) + '\n';
}

const isText = (x: unknown): x is string => typeof x === 'string';
const isObject = (x: unknown): x is Record<string, unknown> =>
  typeof x === 'object' && x !== null && !Array.isArray(x);
const isNamed = (x: unknown): x is Named & Record<string, unknown> =>
  isObject(x) &&
  isText(x.name) &&
  (x.sha256 === null || (isText(x.sha256) && /^[0-9a-f]{64}$/.test(x.sha256)));
const named = ({ name, sha256 }: Named): Named => ({ name, sha256 });

/**
 * Reads such a file: null for any other JSON, an error for one with parts missing, a VersionError
 * for one of another version. Anybody may have
 * written it: only the known keys are taken over, and only values of their types.
 */
export function readReplay(text: string): Replay | null {
  let r: unknown;
  try {
    r = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isObject(r) || r.format !== FORMAT) return null;
  if ('version' in r && r.version !== VERSION) throw new VersionError();
  const { engine, model, folds = [], card, data, patch, array, inputs, names, link, options } = r;
  if (
    !isNamed(model) ||
    !Array.isArray(folds) ||
    !folds.every(isNamed) ||
    !Array.isArray(data) ||
    data.length === 0 ||
    !data.every(isNamed) ||
    !isText(link) ||
    !isObject(options) ||
    !Object.values(options).every(isText)
  )
    throw new Error('parts missing');
  return {
    format: FORMAT,
    engine: isText(engine) ? engine : '',
    model: named(model),
    // In older files the first model's card is that of all.
    folds: folds.map((f) => {
      const own = 'card' in f ? f.card : card;
      return { ...named(f), card: isText(own) ? own : null };
    }),
    card: isText(card) ? card : null,
    data: data.map(named),
    patch: patch ? readPatch(patch) : null,
    array: isText(array) ? array : null,
    inputs: inputs ? readInputs(inputs) : null,
    names: names ? readNames(names) : null,
    link,
    options: options as Record<string, string>,
  };
}

function readPatch(patch: unknown): PatchOptions {
  if (!isObject(patch)) throw new Error('parts missing');
  const read = (name: keyof PatchOptions) => {
    const n = patch[name];
    if (n !== undefined && !(typeof n === 'number' && Number.isFinite(n) && n >= 0))
      throw new Error('parts missing');
    return n;
  };
  return { size: read('size'), stride: read('stride'), background: read('background') };
}

function readInputs(inputs: unknown): Covariates {
  const finite = (x: unknown): x is number => typeof x === 'number' && Number.isFinite(x);
  const isList = (x: unknown): x is number[] => Array.isArray(x) && x.every(finite);
  if (!isObject(inputs)) throw new Error('parts missing');
  return Object.fromEntries(
    Object.entries(inputs).map(([name, numbers]) => {
      if (!isList(numbers) || numbers.length === 0) throw new Error('parts missing');
      return [name, numbers];
    }),
  );
}

function readNames(names: unknown): Given {
  if (!isObject(names) || !Object.values(names).every(isText)) throw new Error('parts missing');
  return names as Given;
}

/** The models of a replay: one, or several that are one. */
export const modelsOf = ({ model, folds }: Pick<Replay, 'model' | 'folds'>) => [model, ...folds];

/** What of a replay is not what is open: hashes decide where there are any, else names. */
export function differing(
  replay: Replay,
  models: readonly Named[],
  data: readonly Named[],
): { model: boolean; data: boolean } {
  const same = (a: Named, b: Named) =>
    a.sha256 && b.sha256 ? a.sha256 === b.sha256 : a.name === b.name;
  const differ = (saved: readonly Named[], open: readonly Named[]) =>
    saved.length !== open.length || !saved.every((s) => open.some((o) => same(s, o)));
  return { model: differ(modelsOf(replay), models), data: differ(replay.data, data) };
}
