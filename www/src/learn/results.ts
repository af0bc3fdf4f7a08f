// What the engine says of a bag in the shape that the article shows, for results stored at build
// time and live ones alike.
import type { Bag, Engine, Judged, Model, Report, Trust } from 'bagscope';
import type { Together } from './together.ts';
import { draw, members, ranking, type Coalition } from './science/sampler.ts';

/** What the reader may turn: everything that changes the results of a bag. */
export interface Settings {
  seed: number;
  alpha: number;
  beta: number;
}

/** The paper's for 4-MNIST-Bags. */
export const usual: Settings = { seed: 0, alpha: 0.05, beta: 0.01 };
/**
 * How many coalitions each method draws: more than the paper's 150, with which chance still hands
 * out bars.
 */
const SAMPLES = 1000;
/** How many coalitions a reader sees drawn, one after the other. */
export const DRAWS = 300;

export interface Row {
  method: string;
  /** (class, instance) */
  scores: number[][];
  /** Per class, the score that neither supports nor refutes. */
  neutral: number[];
  /** (class, instance): 1 for a score that chance does not explain, 0 for one that it does. */
  evident: number[][];
  /** Per class, null where the method fits nothing. */
  r2: (number | null)[];
  evaluations: number;
}

/** The method of the first screen, which needs no settings. */
export const MAP = 'consensus';

export interface Results {
  rows: Row[];
  /** Methods that the model cannot serve. */
  skipped: { method: string; reason: string }[];
}

export interface Verdict {
  method: string;
  /** Per class; null where nothing is known to support it. */
  ndcg: (number | null)[];
  aopc: number[];
  /** (class, m): the class without the m most relevant instances, m = 0..k-1. */
  morf: number[][];
}

export interface Verdicts {
  rows: Verdict[];
  /** (class, m), of random orders. */
  random: { mean: number[]; deviation: number[] }[];
}

export interface Fit {
  /** (class, instance) */
  scores: number[][];
  r2: (number | null)[];
}

/** Everything that is known of a bag without its instances' values. */
export interface Facts {
  instances: number;
  labels: number[];
  /** Of vectors in the plane; null for pictures. */
  points: [number, number][] | null;
  classes: string[];
  negative: number;
  truth: { support: number[]; refute: number[] }[];
  prediction: number[];
  methods: { name: string; title: string; summary: string; cost: string }[];
}

export interface Stored extends Facts {
  results: Results;
  /** How far the scores of the first screen can be trusted. */
  trust: Trust | null;
  verdicts: Verdicts;
  coalitions: Coalition[];
  /** (coalition, class) */
  values: number[][];
  fit: Fit;
  /** Per class. */
  together: readonly Together[];
}

/** What to know before anything is explained. */
export async function facts(engine: Engine, model: Model, bag: Bag): Promise<Facts> {
  const { prediction, classes } = await model.predict(bag);
  const values = bag.shape.length === 1 && bag.shape[0] === 2 ? await bag.values() : null;
  return {
    instances: bag.instances,
    labels: [...(bag.labels ?? [])],
    points:
      values &&
      Array.from({ length: bag.instances }, (_, i) => [values[2 * i]!, values[2 * i + 1]!]),
    classes,
    negative: model.info.negative,
    truth: model.info.truth,
    prediction,
    methods: engine.methods.map(({ name, title, summary, cost }) => ({
      name,
      title,
      summary,
      cost,
    })),
  };
}

/** All methods on all classes. */
export function explainAll(
  model: Model,
  bag: Bag,
  s: Settings,
  signal?: AbortSignal,
): Promise<Report> {
  return model.explain(bag, { method: 'all', samples: SAMPLES, ...s, signal });
}

export function resultsOf(report: Report): Results {
  const names = [...new Set(report.explanations.map((e) => e.method))];
  const rows = names.map((method): Row => {
    const own = report.explanations
      .filter((e) => e.method === method)
      .sort((a, b) => a.class - b.class);
    return {
      method,
      scores: own.map((e) => e.scores),
      neutral: own.map((e) => e.neutral),
      evident: own.map((e) => e.evident.map(Number)),
      r2: own.map((e) => e.r2),
      evaluations: own[0]?.evaluations ?? 0,
    };
  });
  return { rows, skipped: report.skipped };
}

/** How far the scores of the first screen can be trusted. */
export async function trustOf(
  model: Model,
  bag: Bag,
  { seed }: Settings,
  signal?: AbortSignal,
): Promise<Trust | null> {
  const { trust } = await model.explain(bag, { method: MAP, seed, trust: true, signal });
  return trust.find((t) => t.method === MAP) ?? null;
}

export function verdicts({ judgements, random }: Judged): Verdicts {
  const names = [...new Set(judgements.map((j) => j.method))];
  const rows = names.map((method): Verdict => {
    const own = judgements.filter((j) => j.method === method).sort((a, b) => a.class - b.class);
    return {
      method,
      ndcg: own.map((j) => j.values.ndcg ?? null),
      aopc: own.map((j) => j.values.aopc_r ?? NaN),
      morf: own.map((j) => j.morf ?? []),
    };
  });
  const curves = [...random].sort((a, b) => a.class - b.class);
  return {
    rows,
    random: curves.map(({ mean, deviation }) => ({ mean, deviation: deviation ?? [] })),
  };
}

/**
 * Instances from the most to the least important, as MILLI ranks them: by how little each alone
 * looks negative.
 */
export function ranked(all: Results, negative: number, face: number, seed: number): number[] {
  const single = all.rows.find((r) => r.method === 'single')!.scores;
  const value = negative >= 0 ? single[negative]!.map((p) => -p) : single[face]!;
  return ranking(value, seed);
}

/** The coalitions of the settings, with the instances ranked as `order` says. */
export function coalitionsOf(
  order: readonly number[],
  { alpha, beta, seed }: Settings,
): Coalition[] {
  return draw(order, DRAWS, alpha, beta, seed);
}

/** The prediction of each coalition, for all classes. */
export function valuesOf(
  model: Model,
  bag: Bag,
  coalitions: readonly Coalition[],
  signal?: AbortSignal,
): Promise<number[][]> {
  return model.score(bag, coalitions.map(members), { signal });
}

/** MILLI's surrogate, fitted to these coalitions. */
export async function fitTo(
  model: Model,
  bag: Bag,
  coalitions: readonly Coalition[],
  { alpha, beta, seed }: Settings,
): Promise<Fit> {
  const report = await model.explain(bag, { method: 'milli', coalitions, alpha, beta, seed });
  const [row] = resultsOf(report).rows;
  return { scores: row!.scores, r2: row!.r2 };
}
