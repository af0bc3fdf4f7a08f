// The bag that the reader composes, and what the model says of it. Only this module writes the state.
import type { Model } from 'bagscope';
import { bags } from './bags';
import { decodeBag, encodeBag, MOST, npy, trayOf, type Digit } from './compose';
import { newest } from './latest';
import type { Live } from './live';

/** What the model says of a bag, and the evidence for what it says. */
export interface Said {
  /** The digits that it is about. */
  bag: readonly Digit[];
  classes: readonly string[];
  prediction: readonly number[];
  scores: readonly number[];
  evident: readonly boolean[];
  sentences: readonly string[];
}

class Composer {
  tray = $state.raw<readonly Digit[]>([]);
  bag = $state.raw<readonly Digit[]>([]);
  said = $state.raw<Said | null>(null);
  problem = $state('');
  /** What an address says of the bag before the tray is there. */
  wanted = $state.raw('');

  full = $derived(this.bag.length >= MOST);
  address = $derived(this.tray.length ? encodeBag(this.bag) : this.wanted);
}

const state = new Composer();

/** The state, to be read. */
export const composer: Readonly<Composer> = state;

let live: Live | null = null;
const asking = newest((error) => {
  state.problem = error instanceof Error ? error.message : String(error);
});

/** The prepared bags of the digits' network. */
const inked = bags.filter(({ look }) => look === 'ink');

/** Opens the digits that can be chosen. */
export async function openTray(opened: Live): Promise<void> {
  live = opened;
  const values = new Map<string, { pixels: ArrayLike<number>; labels: readonly number[] }>();
  for (const entry of inked) {
    const { bag } = await live.open(entry);
    values.set(entry.key, { pixels: await bag.values(), labels: [...(bag.labels ?? [])] });
  }
  state.tray = trayOf(values);
  compose(state.wanted);
}

/** Takes over the bag of an address. */
export function compose(text: string): void {
  state.wanted = text;
  if (state.tray.length && text !== encodeBag(state.bag)) replace(decodeBag(text, state.tray));
}

export const add = (digit: Digit) => void (state.full || replace([...state.bag, digit]));
export const remove = (at: number) => replace(state.bag.filter((_, i) => i !== at));
export const empty = () => replace([]);

function replace(bag: readonly Digit[]): void {
  state.bag = bag;
  if (bag.length === 0) [state.said, state.problem] = [null, ''];
  void asking(ask);
}

async function ask(): Promise<void> {
  const bag = state.bag;
  if (bag.length === 0 || !live) return;
  const { model } = await live.open(inked[0]!);
  const said = await explain(live, model, bag);
  if (state.bag.length > 0) state.said = said;
  state.problem = '';
}

async function explain({ engine }: Live, model: Model, bag: readonly Digit[]): Promise<Said> {
  const opened = await engine.bag(npy(bag), { name: 'own.npy', model });
  try {
    const { explanations, prediction, summary } = await model.explain(opened);
    const { classes } = await model.predict(opened);
    const face = prediction.indexOf(Math.max(...prediction));
    const { scores, evident, neutral } = explanations.find((e) => e.class === face)!;
    const differences = scores.map((s) => s - neutral);
    return { bag, classes, prediction, scores: differences, evident, sentences: summary };
  } finally {
    opened.close();
  }
}
