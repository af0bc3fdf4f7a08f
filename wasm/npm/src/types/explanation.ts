/** Explanations of a bag, and what they are asked with. */

import type { MethodName, SettingsName } from "../methods.js";
import type { MethodOptions } from "../options.js";
import type { Covariates } from "../covariates.js";
import type { Attributions, Plan, Scored } from "./answers.js";
import type { CallOptions } from "./engine.js";
import type { Prediction } from "./model.js";

/** What an explanation is asked with. The options of methods are generated, see `MethodOptions`. */
export interface ExplainOptions extends MethodOptions, CallOptions {
  /**
   * One method, several, or "all"; default `defaultMethod`, "consensus", or "random_shap" for a
   * model that takes multiples of a number of instances.
   */
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
   * What the covariates of the bag are compared with, to state what they add in
   * `Report.covariates`: values, or "mean" for the means over the bags of the file. One or several
   * covariates, at most eight. Default: they are not compared.
   */
  reference?: string | Covariates;
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
  /**
   * Called after a second of work that will take more than 10 s: how long, and what would be
   * quicker.
   */
  onNote?(sentence: string): void;
  /** Called with what `Model.plan` returns, before the first coalition is evaluated. */
  onPlan?(plan: Plan): void;
}

export interface Explanation extends Scored {
  /**
   * The difference from `neutral` that has the strongest colour: on a scale of this class's own, and
   * on one that all explained classes in this unit share.
   */
  scale: { own: number; shared: number };
}

export interface Report extends Attributions {
  explanations: Explanation[];
  /**
   * The instances of the bag that the scores belong to, in order: all of them, less those left out.
   */
  instances: number[];
  /**
   * With `trace`: every coalition that was evaluated, in order, as a string of 0 and 1. Else empty.
   */
  coalitions: string[];
}
