/** Metrics of the faithfulness of explanations. */

import type { MetricName } from "../methods.js";

/**
 * Scores of all instances for a class. Metrics use the order of the instances by score. An
 * `Explanation` is a ranking.
 */
export interface Ranking {
  class: number;
  scores: readonly number[];
  /** Name of the method, copied to the judgement. */
  method?: string;
  /** R² of the surrogate, copied to the judgement. */
  r2?: number | null;
}

export interface JudgeOptions {
  /** Names from `Engine.metrics`, or "all"; default aopc_r, ndcg and auprc. */
  metrics?: MetricName | "all" | readonly (MetricName | "all")[];
  /** Number of random orders for AOPC-R; default 10. All rankings share them. */
  orders?: number;
  /**
   * Seed for ties and random orders. Equal seeds give equal judgements. Default: the report's seed,
   * or 0.
   */
  seed?: number | bigint;
  /**
   * "reference" divides AOPC by the number of instances k, as the paper's code does. Default: k -
   * 1.
   */
  preset?: "paper" | "reference";
  /** NDCG@n: true counts instances that support another class as refuting the negative class. */
  strict?: boolean;
  /**
   * True adds two rankings for each class: "random", and "oracle" if labels define the relevance.
   * Default false.
   */
  references?: boolean;
  /**
   * Instances to remove from the bag; scores are of the others. Default: the instances that the
   * report excludes.
   */
  without?: readonly number[];
  /** Unit of the curves; default: the report's output, or "prob". */
  output?: "prob" | "logit";
  /** Maximum number of model evaluations; default: no limit. */
  budget?: number;
  /** Maximum number of bytes for the bag and the coalitions; default: 1 GiB of coalitions. */
  memory?: number;
  /** Stops the work within 50 ms. */
  signal?: AbortSignal;
  /**
   * Called as evaluations finish; `total` is an upper bound. Instances are encoded first, as in
   * `explain`.
   */
  onProgress?(done: number, total: number, of: "instances" | "evaluations"): void;
}
