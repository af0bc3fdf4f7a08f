/** Questions about changed bags. Their answers, and the options of each, are generated from Go. */

import type { TurnOptions } from "../questions.js";
import type { NoiseCheck } from "./answers.js";
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

/** The value that decides. */
export type LevelOptions = Pick<TurnOptions, "level">;

export interface CurvesOptions extends AskOptions {
  /** Scores of the instances that are not removed; their order is compared with the others. */
  scores?: readonly number[];
}

export interface MissedOptions extends AskOptions {
  /**
   * The score of the instance less its neutral point, which `opposed` compares; default 0, for a
   * score that does not stand out.
   */
  score?: number;
  /** Whether the score is in log-odds, and with it the answer. Default false. */
  logOdds?: boolean;
}

export interface WhatIfOptions extends TurnOptions {
  /**
   * Instances that are in the bag at first; the others may be added. Default: all. To add instances
   * of another bag, join the bags by `Bag.with`. Without `moves`, instances are removed only.
   */
  members?: readonly number[];
}

/** The result of one sanity check. */
export type CheckResult = Pick<NoiseCheck, "passed" | "sentence">;

export interface ScoreOptions extends CallOptions {
  /** Unit of the scores; default "prob". */
  output?: "prob" | "logit";
}
