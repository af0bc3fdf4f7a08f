/** What-ifs: the sets that decide, the pairs that act together, the changes that turn an answer. */

/** What all what-ifs are asked with. */
export interface AskOptions {
  /** Default: the class with the largest prediction, of the first head if there are several. */
  class?: number;
  /** Instances to remove from the bag. */
  without?: readonly number[];
  /** Unit of values and levels; default "prob". */
  output?: "prob" | "logit";
  /** Seed of ties, contexts and random orders. Equal seeds give equal answers. Default 0. */
  seed?: number | bigint;
  /** Most model evaluations; default no limit. */
  budget?: number;
  /** Stops the work within 50 ms. */
  signal?: AbortSignal;
  /**
   * Called with the number of evaluations. A search has no useful bound, so that `total` is 0 then.
   * Instances are encoded first, as in `explain`.
   */
  onProgress?(done: number, total: number, of: "instances" | "evaluations"): void;
}

/** What all answers have in common. Instances have their numbers in the bag. */
export interface Answered {
  class: number;
  /** Class names. */
  classes: string[];
  /** Prediction for each class. */
  prediction: number[];
  /** Unit of each class of `prediction`. */
  units: string[];
  output: "prob" | "logit" | "raw" | "mixed";
  /** Number of coalitions that the model scored. */
  evaluations: number;
  seed: number | bigint;
  notes: string[];
}

/** The value that decides. */
export interface LevelOptions {
  /**
   * Default: the class is the largest of its head. One half for the probability of a head of one
   * class.
   */
  level?: number;
}

export interface SetsOptions extends AskOptions, LevelOptions {
  /**
   * "sufficient" (the default): the instances alone give the answer. "necessary": without them the
   * bag does not give it.
   */
  kind?: "sufficient" | "necessary";
  /** Number of disjoint sets to look for, up to 20; default 1. */
  several?: number;
}

/** A set of instances that decides. */
export interface DecisiveSet {
  /** Ascending. */
  instances: number[];
  /** Value of each class after the change of the bag. */
  values: number[];
  /** True if all smaller sets were evaluated; else no smaller one was found. */
  smallest: boolean;
  /** Number of instances up to which all sets were evaluated. */
  enumerated: number;
}

export interface Sets extends Answered {
  kind: "sufficient" | "necessary";
  /** null if the class has to be the largest. */
  level: number | null;
  /** Disjoint, each the smallest without the instances of the earlier ones. May be empty. */
  sets: DecisiveSet[];
}

export interface CurvesOptions extends AskOptions {
  /** Scores of the instances that are not removed; their order is compared with the others. */
  scores?: readonly number[];
}

/** The value of the class if the first instances of an order are kept, or removed. */
export interface CurvePoint {
  instances: number;
  /** In the order of a greedy search. */
  best: number;
  /** In the order of `scores`; null without scores. */
  map: number | null;
  /** Mean over ten random orders. */
  random: number;
}

export interface Curves extends Answered {
  kept: CurvePoint[];
  removed: CurvePoint[];
}

export interface PairsOptions extends AskOptions {
  /**
   * "guided" (the default) averages over the contexts of Consensus, "shapley" is the Shapley
   * interaction index, "faithful" the faithful index of order 2.
   */
  interaction?: "guided" | "shapley" | "faithful";
  /** Number of instances, those with the largest effects, whose pairs are evaluated; default 30. */
  among?: number;
  /** Number of contexts to draw; default 64. Small bags are enumerated instead. */
  contexts?: number;
}

/** The interaction of two instances. */
export interface Pair {
  a: number;
  b: number;
  /** Above 0, they complete each other; below 0, they stand in for each other. */
  value: number;
  /** Standard error, 0 if all coalitions were evaluated. */
  stderr: number;
  /** True if `value` differs from 0 by more than chance and rounding explain. */
  evident: boolean;
}

export interface Pairs extends Answered {
  interaction: "guided" | "shapley" | "faithful";
  /** Unit of interactions: log-odds if the output is a probability. */
  unit: string;
  /** The instances whose pairs were evaluated, the largest effect first. */
  among: number[];
  /** Effect of each instance of `among` alone. */
  alone: number[];
  /** The largest magnitude first. */
  pairs: Pair[];
  /** Groups of two or more instances that act alike. */
  twins: number[][];
  /** Number of contexts, 0 if all coalitions were evaluated. */
  contexts: number;
  /** Degrees of freedom of the standard errors. */
  freedom: number;
}

export interface WhatIfOptions extends AskOptions, LevelOptions {
  /**
   * Instances that are in the bag at first; the others may be added. Default: all. To add instances
   * of another bag, join the bags by `Bag.with`.
   */
  members?: readonly number[];
  /** Changes that may be made; default "remove". */
  moves?: "add" | "remove" | "both";
  /** Largest number of changes; default no limit. */
  most?: number;
}

/** One change of a bag. */
export interface TurnStep {
  instance: number;
  added: boolean;
  /** Value of each class after this change and all before it. */
  values: number[];
}

/** Changes that turn the answer for a class. */
export interface Turn extends Answered {
  /** null if the class has to be the largest, or not to be. */
  level: number | null;
  /** True if the class has to become the largest, or to reach `level`; else the opposite. */
  above: boolean;
  /** The steps of a greedy search, each the change with the largest effect. */
  steps: TurnStep[];
  /** True if the last step turns the answer. */
  turned: boolean;
  /** The fewest changes that were found, or null. They may differ from the steps. */
  fewest: DecisiveSet | null;
}

export interface ScoreOptions {
  /** Unit of the scores; default "prob". */
  output?: "prob" | "logit";
  signal?: AbortSignal;
}
