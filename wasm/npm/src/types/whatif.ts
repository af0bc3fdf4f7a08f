/** What-ifs: the sets that decide, the pairs that act together, the changes that turn an answer. */

import type { MethodName } from "../methods.js";
import type { CallOptions } from "./engine.js";

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
   * Called with the number of evaluations. `total` is an upper bound, for `check` that of the
   * current part, and 0 until it is known. Instances are encoded first, as in `explain`.
   */
  onProgress?(done: number, total: number, of: "instances" | "evaluations"): void;
}

/** What all answers have in common. Instances have their numbers in the bag. */
export interface Answered {
  /** Version of the answer's form, 1. */
  version: number;
  /** `sha256` of the file. */
  model: { name: string; sha256: string };
  /** `instances` is the number of those that are not removed. */
  bag: { name: string; instances: number };
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
   * "sufficient": the instances alone give the answer. "necessary": without them the bag does not
   * give it. Default "both".
   */
  kind?: "both" | "sufficient" | "necessary";
  /** Number of disjoint sets to look for, up to 20; default 1. */
  several?: number;
  /** Adds `curves`, with the order of Consensus; default false. */
  curves?: boolean;
}

/** A set of instances that decides. */
export interface DecisiveSet {
  /** Ascending. */
  instances: number[];
  /** Value of the class after the change of the bag. */
  value: number;
  /** Value of each class after the change of the bag. */
  values: number[];
  /** True if all smaller sets were evaluated; else no smaller one was found. */
  smallest: boolean;
  /** Number of instances up to which all sets were evaluated. */
  enumerated: number;
}

/** Sets of one kind, with notes on the search. */
export interface SetList {
  /** Disjoint, each the smallest without the instances of the earlier ones. May be empty. */
  sets: DecisiveSet[];
  notes: string[];
}

export interface Sets extends Answered {
  /** null if the class has to be the largest. */
  level: number | null;
  /** null if the kind was not asked for. */
  sufficient: SetList | null;
  necessary: SetList | null;
  /** null unless they were asked for. */
  curves: SetCurves | null;
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

/** The values of the class by the number of instances that are kept, and removed. */
export interface SetCurves {
  kept: CurvePoint[];
  removed: CurvePoint[];
}

export interface Curves extends Answered, SetCurves {}

export interface PairsOptions extends AskOptions {
  /**
   * "shapley" (the default) is the Shapley interaction index, "guided" averages over the contexts of
   * Consensus, "faithful" is the faithful index of order 2.
   */
  interaction?: "shapley" | "guided" | "faithful";
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
  /** What an evident value means; "" if it is not evident. */
  relation: "complete each other" | "stand in for each other" | "";
}

export interface Pairs extends Answered {
  interaction: "shapley" | "guided" | "faithful";
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

/** A set of changes. */
export interface Change {
  /** Ascending. */
  removed: number[];
  added: number[];
  /** Value of each class after the changes. */
  values: number[];
  /** True if all smaller sets of changes were evaluated; else no smaller one was found. */
  smallest: boolean;
  /** Number of changes up to which all sets were evaluated. */
  enumerated: number;
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
  fewest: Change | null;
}

export interface InsideOptions extends AskOptions {
  /** Side of a cell in pixels, or number of features; default: the smallest that makes 100 cells. */
  cell?: number;
  /** What hidden cells become: the bag's mean (the default), the blurred instance, or zero. */
  hidden?: "mean" | "blur" | "zero";
  /** Random sets of visible cells; default 6 for each cell, at least 400. */
  samples?: number;
  /**
   * True keeps all other instances. Otherwise scores are means over contexts in which the other
   * instances do not decide alone.
   */
  fixed?: boolean;
}

/** The parts of one instance: square cells of a picture, or groups of features. */
export interface InsideMap extends Answered {
  instance: number;
  /** Side of a cell in pixels, or its number of features. Cells at the ends may be smaller. */
  cell: number;
  /** Sides of the instance in pixels; a vector of features is one row. */
  height: number;
  width: number;
  /** Numbers of cells. */
  rows: number;
  columns: number;
  hidden: "mean" | "blur" | "zero";
  /** Unit of the scores: log-odds if the output is a probability. */
  unit: string;
  /** (cell), row by row. A score above 0 supports the class. */
  scores: number[];
  /** (cell); null if all sets of cells were evaluated. */
  stderr: number[] | null;
  /** (cell) True if the score differs from 0 by more than chance and rounding explain. */
  evident: boolean[];
  /** Degrees of freedom of the standard errors. */
  freedom: number;
  /** What the instance adds to what it becomes if all cells are hidden. */
  whole: number;
  /** Prediction for each class if all cells are hidden. */
  without: number[];
  /** Sets of visible cells. */
  samples: number;
  /** Contexts of the other instances. */
  contexts: number;
}

export interface CheckOptions extends AskOptions {
  /** Method whose map is checked; default "consensus". */
  method?: MethodName;
  /** Standard deviation of the noise, relative to that of the values; default 0.05. */
  noise?: number;
  /** Share of the instances that get a mark; default 0.1. */
  marked?: number;
}

/** The result of one sanity check. */
export interface CheckResult {
  passed: boolean;
  /** What it means. */
  sentence: string;
}

/** Sanity checks of a map. Correlations are rank correlations with the map of the bag. */
export interface Checks extends Answered {
  method: MethodName;
  /** Correlation with the map of another seed. */
  seeds: number;
  /** The map of models with random layers has to differ. null if no weights can be shuffled. */
  layers:
    | (CheckResult & {
        /** So many random layers, counted from the output, and the mean correlation. */
        steps: { layers: number; correlation: number }[];
      })
    | null;
  /** Small noise in the instances must not change the map more than another seed does. */
  noise: CheckResult & {
    noise: number;
    correlation: number;
    /** The largest change of the prediction. */
    change: number;
  };
  /** A mark in some instances: the map has to follow if the prediction does. */
  mark: CheckResult & {
    instances: number[];
    /** Change of the prediction. */
    change: number;
    /** Mean change of their scores, relative to the largest score. */
    scores: number;
    /** True if the prediction follows, and if the map does. */
    prediction: boolean;
    map: boolean;
  };
}

/** Instances that the model encodes to nearly the same values. */
export interface Groups extends Answered {
  /** Two or more instances each, ascending. */
  groups: number[][];
}

export interface ScoreOptions extends CallOptions {
  /** Unit of the scores; default "prob". */
  output?: "prob" | "logit";
}
