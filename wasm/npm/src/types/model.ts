/** A model: its description, predictions, and the evaluation of coalitions. */

import type { Closable } from "../closable.js";
import type {
  CheckOptions,
  GroupsOptions,
  InsideOptions,
  PairsOptions,
  ProfileOptions,
  SetsOptions,
} from "../questions.js";
import type {
  Checks,
  Curves,
  Fold,
  GraphInfo,
  Groups,
  InsideMap,
  Judged,
  MissedHere,
  Pairs,
  Plan,
  Profile,
  Scale,
  Sets,
  Turn,
} from "./answers.js";
import type { Bag } from "./bag.js";
import type { CallOptions } from "./engine.js";
import type { ExplainOptions, Report } from "./explanation.js";
import type { JudgeOptions, Ranking } from "./judgement.js";
import type { CurvesOptions, MissedOptions, ScoreOptions, WhatIfOptions } from "./whatif.js";

export interface ModelInfo extends GraphInfo {
  /** How the model card states that pictures are cut, or null. */
  patch: { size: number; stride: number; background: number } | null;
  /**
   * The card's preprocessing of pixels 0..255, (v * scale - mean[channel]) / std[channel], or null.
   * One entry is for all channels.
   */
  preprocess: { scale: number; mean: number[]; std: number[] } | null;
  /** Microns that a pixel of a patch covers, as the model card states it, or 0. */
  microns: number;
  /** The name of the file that encodes patches, as the model card states it, or "". */
  encoder: string;
  /** What columns of tables hold, as the model card states it, or "". */
  columns: string;
}

export interface PlanOptions extends CallOptions {
  /** Instances to remove from the bag. */
  without?: readonly number[];
}

export interface PredictOptions extends CallOptions {
  /** Instances to remove from the bag. */
  without?: readonly number[];
  /** Unit of `prediction`; default "prob". */
  output?: "prob" | "logit";
  /** Called while a large bag is encoded, with the number of encoded instances. */
  onProgress?(done: number, total: number): void;
}

export interface OutputTensor {
  name: string;
  type: string;
  shape: number[];
  data: Float64Array;
}

export interface Prediction {
  /**
   * Prediction for each class in the unit `output`: probabilities unless logits are requested or
   * the model has raw scores.
   */
  prediction: number[];
  /** Unit of each class of `prediction`: probability, logit or score, or that of the model card. */
  units: string[];
  /** "mixed" if the heads of the model have different ones. */
  output: "prob" | "logit" | "raw" | "mixed";
  /** Class scores of the model, on `scale`. */
  scores: number[];
  scale: Scale;
  classes: string[];
  /** Every output of the graph, raw. */
  outputs: OutputTensor[];
  /** Survival curves of the heads of hazards. */
  curves: Curve[];
  /** The models of an ensemble; empty for one model. */
  folds: Fold[];
  notes: string[];
}

/** The survival at each edge of the bins of a head of hazards. */
export interface Curve {
  /** Name of the class that reads it. */
  class: string;
  unit: string;
  edges: number[];
  survival: number[];
}

/** An open model. After a crash of its worker, the engine opens it again from its bytes. */
export interface Model extends Closable {
  readonly info: ModelInfo;
  predict(bag: Bag, options?: PredictOptions): Promise<Prediction>;
  /** Explains a bag. An engine runs explanations one after another, and predictions in between. */
  explain(bag: Bag, options?: ExplainOptions): Promise<Report>;
  /** Returns how coalitions of a bag are evaluated. Plans run in turn with explanations. */
  plan(bag: Bag, options?: PlanOptions): Promise<Plan>;
  /**
   * Measures the faithfulness of a report's explanations or of any rankings of the bag's instances.
   * Compare rankings in one call: its random orders and curves are then evaluated once.
   */
  judge(bag: Bag, rankings: Report | readonly Ranking[], options?: JudgeOptions): Promise<Judged>;
  /** Returns the smallest sets of instances that decide the answer for a class. */
  sets(bag: Bag, options?: SetsOptions): Promise<Sets>;
  /** Returns the answer for a class by the number of instances that are kept, and removed. */
  curves(bag: Bag, options?: CurvesOptions): Promise<Curves>;
  /** Returns what the bag loses without an instance: `missedHere` of the report, for any one. */
  missed(bag: Bag, instance: number, options?: MissedOptions): Promise<MissedHere>;
  /** Returns which pairs of instances complete each other, and which stand in for each other. */
  pairs(bag: Bag, options?: PairsOptions): Promise<Pairs>;
  /** Returns the fewest removals, or additions, that turn the answer for a class. */
  whatIf(bag: Bag, options?: WhatIfOptions): Promise<Turn>;
  /**
   * Returns which parts of an instance matter, by hiding them. The instance is encoded for each set
   * of visible parts, the others are not.
   */
  inside(bag: Bag, instance: number, options?: InsideOptions): Promise<InsideMap>;
  /**
   * Checks a map: by models with random layers, by noise in the instances and by marks in some of
   * them. Each check explains the bag again, up to 13 times in all.
   */
  check(bag: Bag, options?: CheckOptions): Promise<Checks>;
  /**
   * Returns groups of instances that the model encodes to nearly the same values, so that they
   * replace each other, or what named sets of instances do: `concepts` in the options names them.
   * Fails without names if the model computes nothing of single instances.
   */
  groups(bag: Bag, options?: GroupsOptions): Promise<Groups>;
  /**
   * Returns the prediction for other values of a covariate, such as the age of a patient. Fails if
   * the model takes none.
   */
  profile(bag: Bag, options?: ProfileOptions): Promise<Profile>;
  /**
   * Returns the prediction of each class for parts of a bag, given as lists of their instances. The
   * bag stays encoded between calls, so that a call takes milliseconds if the model pools.
   */
  score(
    bag: Bag,
    coalitions: readonly (readonly number[])[],
    options?: ScoreOptions,
  ): Promise<number[][]>;
  /** Frees the memory. */
  close(): void;
}
