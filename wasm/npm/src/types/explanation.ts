/** Explanations of a bag, and what they are asked with. */

import type { MethodName, SettingsName } from "../methods.js";
import type { MethodOptions } from "../options.js";
import type { CallOptions } from "./engine.js";
import type { Plan, Prediction } from "./model.js";

/** What an explanation is asked with. The options of methods are generated, see `MethodOptions`. */
export interface ExplainOptions extends MethodOptions, CallOptions {
  /** One method, several, or "all"; default `defaultMethod`, "consensus". */
  method?: MethodName | "all" | readonly (MethodName | "all")[];
  /** Classes to explain; default those of `settings`, or all. */
  classes?: readonly number[];
  /** The paper's settings for a data set; options that are given win over them. */
  settings?: SettingsName;
  /**
   * Instances to leave out of the bag. Scores are then those of the instances that stay, see
   * `Report.instances`.
   */
  without?: readonly number[];
  /** What is explained; default "prob". */
  output?: "prob" | "logit";
  /** Of every random stream: equal seeds give equal reports. Default 0. */
  seed?: number | bigint;
  /** Most model evaluations; default no limit. */
  budget?: number;
  /**
   * Most bytes of memory that the bag and its explanation may take, estimated before any work;
   * default no limit.
   */
  memory?: number;
  /**
   * A method that the model does not support is listed in `skipped` instead of failing. Default
   * true for "all".
   */
  skipMissing?: boolean;
  /** Returns the coalitions that were evaluated, in `Report.coalitions`. */
  trace?: boolean;
  /**
   * Measures how far the scores can be trusted, in `Report.trust`: AOPC-R beside that of the simple
   * methods, and the rank correlation with another seed. It takes as long as several explanations.
   * Default false.
   */
  trust?: boolean;
  /**
   * Called as evaluations finish; `total` is an upper bound until the last call. While a large bag
   * is encoded, before any evaluation, it is called with instances.
   */
  onProgress?(done: number, total: number, of: "instances" | "evaluations"): void;
  /**
   * Called with what `Model.predict` returns, before the explanation; again if a graphics processor
   * has computed it wrongly. This takes less time than to predict and to explain.
   */
  onPrediction?(prediction: Prediction): void;
  /** Called with what `Model.plan` returns, before the first coalition is evaluated. */
  onPlan?(plan: Plan): void;
}

export interface Explanation {
  method: MethodName;
  /** The settings in force, defaults filled in. */
  settings: Record<string, string | number | boolean>;
  class: number;
  /** Per instance; above `neutral` supports the class, below refutes it. */
  scores: number[];
  /**
   * Unit of `scores`, `stderr` and `neutral`: probability, log-odds, logit or score, or that of the
   * model card, such as "months".
   */
  unit: string;
  /**
   * Standard error of each score, or null where the method does not sample. It is infinite where
   * the coalitions are too few to estimate it.
   */
  stderr: number[] | null;
  /** Degrees of freedom of `stderr` for Student's t; 0 for the normal distribution. */
  freedom: number;
  /**
   * The score that neither supports nor refutes: 0 for differences, the mean of the bag for Single
   * and Inherent.
   */
  neutral: number;
  /**
   * Per instance, whether the score differs from `neutral` by more than chance and rounding
   * explain: a test at 5 %, or in a bag of more than 300 instances a false discovery rate of 5 %.
   */
  evident: boolean[];
  /**
   * The difference from `neutral` that has the strongest colour: on a scale of this class's own, and
   * on one that all explained classes in this unit share.
   */
  scale: { own: number; shared: number };
  /** Weighted R² of the surrogate, or null where there is none, as in Consensus. */
  r2: number | null;
  /** Coalitions that the method looked at, shared ones included. */
  evaluations: number;
  /** What holds for this class, such as why Consensus stopped. */
  notes: string[];
}

/** How far the scores of one method can be trusted for one bag. */
export interface Trust {
  method: MethodName;
  /** The classes that are explained; all lists here are in their order. */
  classes: number[];
  /**
   * AOPC-R by method: of this one, and of Single, One Removed and Inherent as far as the model
   * serves them. A random order has 0. Empty for a bag that has no two sizes to compare.
   */
  aopcr: Partial<Record<MethodName, number[]>>;
  /** How many of ten random orders have a lower AOPC than this method. */
  beaten: number[];
  /**
   * Rank correlation with the scores under another seed, where scores that are not evident count as
   * neutral. It is 1 for methods that draw nothing, null for a bag of one instance.
   */
  correlation: (number | null)[];
  /** Sizes of bag at which the curves were measured. */
  cuts: number;
  /** All of that in words. */
  sentences: string[];
}

export interface Report {
  /** Per class, of the bag that was explained. */
  prediction: number[];
  /** Unit of each class of `prediction`. */
  units: string[];
  /** "mixed" if the heads of the model have different ones. */
  output: "prob" | "logit" | "raw" | "mixed";
  explanations: Explanation[];
  /** Methods that the model cannot serve. */
  skipped: { method: MethodName; reason: string }[];
  /** Coalitions given to the model, each once. */
  evaluations: number;
  /** A bigint only beyond Number.MAX_SAFE_INTEGER. */
  seed: number | bigint;
  notes: string[];
  /** Names of the model's classes. */
  classes: string[];
  /**
   * The instances of the bag that the scores belong to, in order: all of them, less those left out.
   */
  instances: number[];
  /**
   * With `trace`: every coalition that was evaluated, in order, as a string of 0 and 1. Else empty.
   */
  coalitions: string[];
  /** With `trust`: how far each method can be trusted. Else empty. */
  trust: Trust[];
}
