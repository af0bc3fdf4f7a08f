/** How faithful explanations are. */

import type { MetricName } from "../methods.js";

/** Scores of all instances for a class, to be judged by the order they bring instances into: an `Explanation` is one. */
export interface Ranking {
  class: number;
  scores: readonly number[];
  /** Who made it, repeated in the judgement. */
  method?: string;
  /** Of its surrogate, repeated in the judgement. */
  r2?: number | null;
}

export interface JudgeOptions {
  /** Default aopc_r, ndcg and auprc; or others of `Engine.metrics`, or "all". */
  metrics?: MetricName | "all" | readonly (MetricName | "all")[];
  /** Random orders that AOPC-R compares with; default 10. All rankings share them. */
  orders?: number;
  /** Of ties and random orders: equal seeds give equal judgements. Default that of the report, or 0. */
  seed?: number | bigint;
  /** "reference" divides AOPC by the number of instances, as the paper's code does, not by one less. */
  preset?: "paper" | "reference";
  /** NDCG@n: instances that support another class refute the negative one. */
  strict?: boolean;
  /** Judges two more rankings of each class: "random", and "oracle" where labels tell what is relevant. Default false. */
  references?: boolean;
  /** Instances to leave out of the bag; scores are of those that stay. Default those that the report was made without. */
  without?: readonly number[];
  /** What the curves are measured in; default that of the report, or "prob". */
  output?: "prob" | "logit";
  /** Most model evaluations; default no limit. */
  budget?: number;
  /** Most bytes that the bag and the coalitions may take; default 1 GiB of coalitions. */
  memory?: number;
  /** Stops the work within 50 ms. */
  signal?: AbortSignal;
  /** Called while evaluations finish; `total` is an upper bound. Instances come first, as for `explain`. */
  onProgress?(done: number, total: number, of: "instances" | "evaluations"): void;
}

export interface Judgement {
  method: string;
  class: number;
  /**
   * By metric. One that is not defined is missing: ndcg and auprc without labels or supporting instances, curves of a
   * single instance, r2 of a method without surrogate, millet_aopcr of a class that is not predicted.
   */
  values: Partial<Record<MetricName, number>>;
  /**
   * Standard deviation, over the random orders, of the differences whose mean aopc_r is; null without aopc_r or with one
   * order. The standard error of aopc_r is this over the root of `orders`.
   */
  spread: number | null;
  /** Any ranking gets this ndcg and auprc: all labelled instances support the class. */
  trivial: boolean;
  /** What the class is worth without the m most relevant instances, m = 0..k-1; null where no metric asks for it. */
  morf: number[] | null;
  /** And without the m least relevant ones. */
  lerf: number[] | null;
}

/** The curve that random orders give on average. */
export interface RandomCurve {
  class: number;
  /** What the class is worth without m instances, m = 0..k-1. */
  mean: number[];
  /** Its standard deviation over the orders, or null for a single order. */
  deviation: number[] | null;
}

export interface Judged {
  /** In the order of the rankings; references follow. */
  judgements: Judgement[];
  /** One for each class that is judged, where aopc_r is asked for. */
  random: RandomCurve[];
  output: "prob" | "logit" | "raw";
  /** Coalitions that the model scored, none of them twice. */
  evaluations: number;
  seed: number | bigint;
  /** Class names. */
  classes: string[];
  /** The instances of the bag that are ranked. */
  instances: number[];
}
