// The lesson about slides: a slide of a scanner, its map and its truth at several scales. Its files
// are fetched only by a page whose address asks for them, ?slide; only this module writes the state.
import type { Engine, Model, SlideImage } from 'bagscope';
import density from '../../../examples/slide/density.json?url';
import network from '../../../examples/slide/model.onnx?url';
import scan from '../../../examples/slide/CMU-1-Small-Region.svs?url';
import { fetchBytes } from '../lib/engine';
import type { Opened } from '../site/offline';
import { judge, labels, shares, type Density, type Judged } from './science/nuclei';

/** Microns that a pixel of a patch covers. The network was trained at 1. */
export const SCALES = [0.5, 1, 2] as const;
export type Scale = (typeof SCALES)[number];

/** Pixels of the longer side of the picture. */
const SIDE = 960;
/** Pixels of a patch across, as the network takes it. */
export const PATCH = 27;
/** The class that the map explains. */
const MANY = 1;

/** The patches of one scale, with all that is known of them. */
export interface Laid extends Judged {
  /** Pixels of level 0 that a patch covers. */
  side: number;
  x: readonly number[];
  y: readonly number[];
  scores: readonly number[];
  /** Parts that nuclei cover, 0 to 1. */
  shares: readonly number[];
}

/** The whole slide as a picture. */
interface Overview {
  picture: ImageBitmap;
  /** Pixels of level 0 across that one of the picture covers. */
  scale: number;
}

class Slide {
  /** `asked` until the files are there, `live` while patches can be looked at. */
  phase = $state<'absent' | 'asked' | 'live' | 'failed'>('absent');
  problem = $state('');
  overview = $state.raw<Overview | null>(null);
  scale = $state<Scale>(1);
  known = $state.raw<ReadonlyMap<Scale, Laid>>(new Map());
  /** Patches that are encoded, and all; null while nothing is computed. */
  progress = $state.raw<readonly [done: number, total: number] | null>(null);
  /** The place of the patch that is looked at in the order of the map, from 0. */
  rank = $state(0);

  laid = $derived(this.known.get(this.scale) ?? null);
  /** The patch that is looked at. */
  chosen = $derived(this.laid?.order[Math.min(this.rank, this.laid.order.length - 1)] ?? null);
}

const state = new Slide();

/** The state, to be read. */
export const slide: Readonly<Slide> = state;

/** Whether an address asks for the slide. */
export const asksForSlide = (query: string) => new URLSearchParams(query).has('slide');

export interface Files {
  model: Uint8Array<ArrayBuffer>;
  slide: Uint8Array<ArrayBuffer>;
  density: Density;
  /** As the page keeps them for use without a network. */
  opened: readonly Opened[];
}

/** Fetches the files of the lesson. */
export async function fetchSlide(): Promise<Files> {
  state.phase = 'asked';
  const opened = await Promise.all(
    [network, scan, density].map(async (url) => ({ url, bytes: await fetchBytes(url) })),
  );
  const [model, file, measured] = opened.map(({ bytes }) => bytes);
  const text = new TextDecoder().decode(measured);
  return { model: model!, slide: file!, density: JSON.parse(text) as Density, opened };
}

let open: { image: SlideImage; model: Model; density: Density } | null = null;

/** Opens the slide in the engine and computes its map. */
export async function openSlide(engine: Engine, files: Files): Promise<void> {
  try {
    const file = new File([files.slide], 'CMU-1-Small-Region.svs');
    const [image, model] = await Promise.all([
      engine.slide(file, { name: file.name }),
      engine.open(files.model, { name: 'model.onnx' }),
    ]);
    open = { image, model, density: files.density };
    const { width, height, rgba, scale } = await image.overview(SIDE);
    const picture = await createImageBitmap(new ImageData(rgba, width, height));
    [state.overview, state.phase] = [{ picture, scale }, 'live'];
    await compute();
  } catch (error) {
    fail(error);
  }
}

export function fail(error: unknown): void {
  state.problem = error instanceof Error ? error.message : String(error);
  state.phase = 'failed';
}

/** Shows patches of another scale. */
export async function choose(scale: Scale): Promise<void> {
  [state.scale, state.rank] = [scale, 0];
  await compute();
}

/** Looks at the patch at a place of the map's order. */
export const look = (rank: number) => void (state.rank = rank);

let last: Promise<void> = Promise.resolve();

/** Computes the map of the chosen scale, after what is being computed. */
function compute(): Promise<void> {
  const { scale } = state;
  return (last = last.then(async () => {
    if (!open || state.known.has(scale) || scale !== state.scale) return;
    try {
      const laid = await map(scale);
      state.known = new Map([...state.known, [scale, laid]]);
    } catch (error) {
      fail(error);
    } finally {
      state.progress = null;
    }
  }));
}

async function map(microns: Scale): Promise<Laid> {
  const { image, model, density } = open!;
  const patches = await image.patches({ patchSize: PATCH, microns, model });
  try {
    state.progress = [0, patches.order.length];
    await patches.encode({ onProgress: (...done) => void (state.progress = done) });
    const bag = await patches.bag();
    const report = await model.explain(bag, { classes: [MANY] });
    bag.close();
    const { x, y, side } = patches.grid;
    const scores = report.explanations[0]!.scores;
    const covered = shares(density, x, y, side);
    return { side, x, y, scores, shares: covered, ...judge(scores, labels(covered)) };
  } finally {
    patches.close();
  }
}

/** The pixels of a patch of the slide, in full resolution. */
export async function pixels(laid: Laid, i: number): Promise<ImageData | null> {
  if (!open) return null;
  const { rgba, width, height } = await open.image.region(
    0,
    laid.x[i]!,
    laid.y[i]!,
    laid.side,
    laid.side,
  );
  return new ImageData(rgba, width, height);
}
