// The lesson about slices: a drawn CT series, the reader's own answer, the map and the truth. Its
// files are fetched only by a page whose address asks for them, ?series; only this module writes
// the state.
import type { Engine } from 'bagscope';
import network from '../../../examples/series/model.onnx?url';
import archive from '../../../examples/series/series.zip?url';
import truth from '../../../examples/series/truth.json';
import { fetchBytes } from '../lib/engine';
import type { Opened } from '../site/offline';

/** Pixels of a slice across. */
export const SIDE = 64;
/** The class that the map explains. */
const NODULE = 1;

/** The slices that show the nodule, from 0, as the series was drawn. */
export const shown: readonly number[] = truth.nodule;

/** The map of the slices. */
export interface SliceMap {
  scores: readonly number[];
  evident: readonly boolean[];
  /** Probability of a nodule. */
  probability: number;
}

class Series {
  /** `asked` until the files are there, `live` while slices can be looked at. */
  phase = $state<'absent' | 'asked' | 'live' | 'failed'>('absent');
  problem = $state('');
  /** Pixels of all slices under the model's window, 0 to 255. */
  pixels = $state.raw<Float32Array>(new Float32Array());
  map = $state.raw<SliceMap | null>(null);
  /** The slice in sight, from 0. */
  index = $state(0);
  /** The slices that the reader takes for those with the nodule. */
  guesses = $state.raw<readonly number[]>([]);
  /** Whether the reader has asked for the map and the truth. */
  answered = $state(false);

  count = $derived(this.pixels.length / SIDE ** 2);
}

const state = new Series();

/** The state, to be read. */
export const series: Readonly<Series> = state;

/** Whether an address asks for the series. */
export const asksForSeries = (query: string) => new URLSearchParams(query).has('series');

/** Fetches the network and the series. */
export async function fetchSeries(): Promise<readonly Opened[]> {
  state.phase = 'asked';
  return Promise.all(
    [network, archive].map(async (url) => ({ url, bytes: await fetchBytes(url) })),
  );
}

/** Opens the series in the engine and computes its map. */
export async function openSeries(engine: Engine, files: readonly Opened[]): Promise<void> {
  try {
    const model = await engine.open(files[0]!.bytes, { name: 'model.onnx' });
    const bag = await engine.bag(files[1]!.bytes, { name: 'series.zip', model });
    state.pixels = await bag.values();
    [state.index, state.phase] = [Math.floor(bag.instances / 2), 'live'];
    const report = await model.explain(bag, { classes: [NODULE] });
    const { scores, evident } = report.explanations[0]!;
    state.map = { scores, evident, probability: report.prediction[NODULE]! };
    bag.close();
  } catch (error) {
    failSeries(error);
  }
}

export function failSeries(error: unknown): void {
  state.problem = error instanceof Error ? error.message : String(error);
  state.phase = 'failed';
}

/** Brings a slice into sight. */
export const show = (index: number) => void (state.index = index);

/** Takes the slice in sight for one with the nodule, or no longer. */
export function guess(yes: boolean): void {
  const others = state.guesses.filter((i) => i !== state.index);
  state.guesses = yes ? [...others, state.index].sort((a, b) => a - b) : others;
}

/** Shows the map and the truth, or hides them. */
export const answer = (yes: boolean) => void (state.answered = yes);
