// What a reader can do, and the questions to the engine that follow from it.
import type { Trust } from 'bagscope';
import { others, stored as firstStored } from 'virtual:learn/first';
import { pictureOf } from '../site/files';
import { keepOffline } from '../site/offline';
import { bags, bagOf, first } from './bags';
import { compose, composer, openTray } from './compose.svelte';
import { latest, newest } from './latest';
import { lesson } from './lesson.svelte';
import type { Live, Open } from './live';
import { decode, start, type Link } from './link';
import { idle, nextTask } from '../lib/pauses';
import {
  coalitionsOf,
  explainAll,
  fitTo,
  resultsOf,
  trustOf,
  usual,
  valuesOf,
  verdicts,
  type Settings,
  type Stored,
} from './results';
import { asksForSeries, failSeries, fetchSeries, openSeries } from './series.svelte';
import { asksForSlide, fail as failSlide, fetchSlide, openSlide } from './slide.svelte';
import { learn as words } from '../strings';

let live: Live | null = null;
const showError = (error: unknown) => {
  lesson.problem = error instanceof Error ? error.message : String(error);
};
const removing = latest(showError);
const drawing = latest(showError);
const fitting = newest(showError);
const explaining = latest(showError);

/** What is known of bags without some instances, by bag and instances. */
const known = new Map<string, readonly number[]>();
const nameOf = (out: readonly number[]) =>
  `${lesson.entry.key} ${[...out].sort((a, b) => a - b).join('.')}`;

/** Takes over the address, then starts the engine. */
export async function begin(hash: string): Promise<void> {
  await follow(decode(hash));
  try {
    // The engine is megabytes: what is to be read at first comes before it.
    await idle();
    const module = await import('./live');
    live = await module.start((reason) => (lesson.problem = reason));
    // With all stored results and pictures here, nothing is left to ask the server for.
    const [files, chest] = await Promise.all([
      asksForSlide(location.search) ? fetchSlide().catch(failSlide) : null,
      asksForSeries(location.search) ? fetchSeries().catch(failSeries) : null,
      ...Object.values(others).map((load) => load()),
      ...bags.map(picture),
    ]);
    sealAtTouch();
    lesson.phase = 'live';
    await renew();
    void openTray(live).catch(showError);
    if (files) void openSlide(live.engine, files);
    if (chest) void openSeries(live.engine, chest);
    keepOffline('', [...(files?.opened ?? []), ...(chest ?? [])]);
  } catch (error) {
    lesson.phase = 'failed';
    showError(error);
  }
}

const pictures: HTMLImageElement[] = [];

/** Has a bag's picture in memory, where it has one. */
async function picture({ key, look }: (typeof bags)[number]): Promise<void> {
  if (look === 'points') return;
  const image = new Image();
  image.src = pictureOf(key);
  pictures.push(image);
  await image.decode();
}

/**
 * Forbids this page any further connection as soon as the reader does anything: who has touched
 * nothing has told the page nothing.
 */
function sealAtTouch(): void {
  for (const touch of ['pointerdown', 'keydown'])
    addEventListener(touch, seal, { capture: true, once: true });
}

/** A second policy in the document can only take away. */
function seal(): void {
  const meta = document.createElement('meta');
  meta.httpEquiv = 'Content-Security-Policy';
  meta.content = "connect-src 'none'; form-action 'none'";
  document.head.append(meta);
}

const open = (): Promise<Open> => live!.open(lesson.entry);

/** Shows what a link says. */
export async function follow(link: Link): Promise<void> {
  const entry = bagOf(link.bag);
  if (entry !== lesson.entry) lesson.show(entry, await storedOf(entry.key));
  lesson.apply(link);
  compose(link.own);
  await renew();
}

async function storedOf(key: string): Promise<Stored> {
  return key === first.key ? firstStored : (await others[key]!()).default;
}

/** Shows another bag, as it was prepared. */
export async function choose(key: string): Promise<void> {
  await follow({ ...start(key), own: composer.address });
  lesson.said =
    `${words.bagTexts[lesson.entry.key]?.title}. ` +
    `${words.told('', lesson.className(), lesson.whole[lesson.face]!).trim()}`;
}

// The figures follow a press in a task of their own, so that the press itself is answered at once.

/** Explains another class. */
export async function face(c: number): Promise<void> {
  await nextTask();
  lesson.face = c;
  // Without a negative class MILLI ranks by the class that is explained.
  if (lesson.facts.negative < 0) await renew();
  else await settle();
}

/** Takes an instance out of the bag, or puts it back. */
export async function toggle(i: number): Promise<void> {
  await nextTask();
  const { out, k, entry } = lesson;
  if (!out.includes(i) && out.length + 1 >= k) return void (lesson.said = words.noEmpty);
  await leaveOut(out.includes(i) ? out.filter((o) => o !== i) : [...out, i]);
  const what = words.moved(words.instance(entry.noun, i, lesson.label(i)), out.includes(i));
  lesson.said = words.told(what, lesson.className(), lesson.now[lesson.face]!);
}

/** Has exactly these instances out. */
export async function take(out: readonly number[]): Promise<void> {
  await nextTask();
  await leaveOut(out);
}

async function leaveOut(out: readonly number[]): Promise<void> {
  lesson.out = out;
  await settle();
}

// Asks for every step of taking instances out that is not known yet, and for one more step with each
// instance of the pairs.
async function settle(): Promise<void> {
  const steps = Array.from({ length: lesson.out.length + 1 }, (_, n) => lesson.out.slice(0, n));
  const further = lesson.groups
    .flat()
    .filter((i) => !lesson.out.includes(i) && lesson.out.length + 1 < lesson.k);
  const without = (i: number) => [...lesson.out, i];
  const show = () => {
    lesson.trail = steps.map((out) => ({
      out,
      prediction: out.length ? worth(out) : lesson.whole,
    }));
    lesson.further = new Map(further.map((i) => [i, worth(without(i))]));
  };
  show();
  await removing(async (signal) => {
    if (!live) return;
    const { model, bag } = await open();
    const ask = async (out: readonly number[]) => {
      if (out.length === 0 || worth(out)) return;
      known.set(nameOf(out), (await model.predict(bag, { without: out, signal })).prediction);
    };
    for (const out of steps) await ask(out);
    if (!signal.aborted) show();
    for (const i of further) await ask(without(i));
    if (!signal.aborted) show();
  });
}

/** What the model says without these instances, where that is known. */
function worth(out: readonly number[]): readonly number[] | null {
  return (out.length === 1 ? lesson.without(out[0]!) : null) ?? known.get(nameOf(out)) ?? null;
}

/** Turns a setting, and asks again. */
export async function turn(change: Partial<Settings>): Promise<void> {
  Object.assign(lesson, change);
  await renew();
}

/** Fits the surrogate to so many coalitions. */
export async function fit(shown: number): Promise<void> {
  lesson.shown = shown;
  await refit();
}

// Brings everything up to date with the settings. What is stored was made with the usual ones.
async function renew(): Promise<void> {
  await Promise.all([settle(), redraw(), reexplain()]);
}

function isUsual(): boolean {
  const { seed, alpha, beta, face, entry, facts } = lesson;
  const plain = seed === usual.seed && alpha === usual.alpha && beta === usual.beta;
  return plain && (facts.negative >= 0 || face === entry.face);
}

/** Values of coalitions by bag and coalition, so that none is asked twice. */
const valuesByCoalition = new Map<string, readonly number[]>();

async function redraw(): Promise<void> {
  await drawing(async (signal) => {
    const { entry } = lesson;
    const from = await storedOf(entry.key);
    if (signal.aborted) return;
    from.coalitions.forEach((z, i) => valuesByCoalition.set(entry.key + z, from.values[i]!));
    lesson.coalitions = isUsual() ? from.coalitions : coalitionsOf(lesson.order, lesson.settings);
    const look = () => {
      lesson.values = lesson.coalitions.map((z) => valuesByCoalition.get(entry.key + z) ?? null);
    };
    look();
    if (!live) return;
    void refit();
    const { model, bag } = await open();
    const missing = lesson.coalitions.filter((z) => !valuesByCoalition.has(entry.key + z));
    if (missing.length === 0) return;
    const values = await valuesOf(model, bag, missing, signal);
    if (signal.aborted) return;
    missing.forEach((z, i) => valuesByCoalition.set(entry.key + z, values[i]!));
    look();
  });
}

async function refit(): Promise<void> {
  await fitting(async () => {
    const { shown, settings, coalitions, entry } = lesson;
    const n = Math.min(shown, coalitions.length);
    if (isUsual() && n === coalitions.length) {
      const from = await storedOf(entry.key);
      if (lesson.entry === entry) [lesson.fit, lesson.fitted] = [from.fit, n];
      return;
    }
    if (!live) return;
    const { model, bag } = await open();
    const found = await fitTo(model, bag, coalitions.slice(0, n), settings);
    if (lesson.entry === entry) [lesson.fit, lesson.fitted] = [found, n];
  });
}

/** How far the first screen can be trusted, by bag and seed: its method has no other settings. */
const trusts = new Map<string, Trust | null>();

async function reexplain(): Promise<void> {
  await explaining(async (signal) => {
    const { entry, settings } = lesson;
    if (isUsual()) {
      const from = await storedOf(entry.key);
      if (!signal.aborted)
        [lesson.results, lesson.trust, lesson.verdicts] = [from.results, from.trust, from.verdicts];
      return;
    }
    if (!live) return;
    const { model, bag } = await open();
    const report = await explainAll(model, bag, settings, signal);
    const judged = await model.judge(bag, report, { signal });
    if (signal.aborted) return;
    const name = `${entry.key} ${settings.seed}`;
    [lesson.results, lesson.verdicts] = [resultsOf(report), verdicts(judged)];
    lesson.trust = trusts.get(name) ?? null;
    if (trusts.has(name)) return;
    const trust = await trustOf(model, bag, settings, signal);
    trusts.set(name, trust);
    if (!signal.aborted) lesson.trust = trust;
  });
}
