/** A model: what it is, how it predicts, how coalitions are evaluated. */

import type { Bag } from "./bag.js";
import type { ExplainOptions, Report } from "./explanation.js";
import type { JudgeOptions, Judged, Ranking } from "./judging.js";

export interface TensorInfo {
  name: string;
  /** "float32", "int64", ... */
  type: string;
  /** A side below zero is symbolic; its name stands in `names`. */
  shape: number[];
  names: string[];
}

export type Scale = "logits" | "sigmoid-logits" | "probabilities" | "log-probabilities" | "raw";

export interface ModelInfo {
  name: string;
  sha256: string;
  opset: number;
  inputs: TensorInfo[];
  outputs: TensorInfo[];
  /** Operator types in use, sorted. */
  operators: string[];
  parameters: number;
  /** The input that takes the bag, and the axis along which its instances lie. */
  input: string;
  instanceAxis: number;
  /** The output with the class scores, "" while only a bag can tell. */
  output: string;
  /** Class names; empty while only a bag can tell how many there are. */
  classes: string[];
  /** The class that means "nothing found", -1 when there is none. */
  negative: number;
  scale: Scale;
  /** The output with the model's own instance scores, or "". */
  inherent: string;
  /** Per class, which instance labels support and which refute it. */
  truth: { support: number[]; refute: number[] }[];
  /** What was assumed or decided, in sentences. */
  notes: string[];
  /** How the model card wants pictures cut, or null. */
  patch: { size: number; stride: number; background: number } | null;
  /** What its card has done to pixels 0..255, or null: (v * scale - mean[channel]) / std[channel]; one entry serves all channels. */
  preprocess: { scale: number; mean: number[]; std: number[] } | null;
}

export interface PlanOptions {
  /** Instances to leave out. */
  without?: readonly number[];
  signal?: AbortSignal;
}

/** How coalitions of a bag are evaluated. */
export interface Plan {
  /**
   * How the model pools, where all coalitions are pooled at once: mean, sum, max, min, attention, logsumexp, topk, joined
   * by +. Else "gathered": instances are encoded once and coalitions run one by one; or "plain": the whole graph runs for each.
   */
  strategy: string;
  /** Memory that the encoded bag takes, in bytes. */
  bytes: number;
  /** Operators that run once for the bag, instance by instance. */
  once: string[];
  /** Operators that run for the coalitions. */
  each: string[];
  /** Those of them at which instances meet. */
  meet: string[];
  /** Why, in sentences. */
  why: string[];
}

export interface PredictOptions {
  /** Instances to leave out. */
  without?: readonly number[];
  /** What `prediction` is measured in; default "prob". */
  output?: "prob" | "logit";
  signal?: AbortSignal;
  /** Called while a large bag is encoded, with how many of its instances are. */
  onProgress?(done: number, total: number): void;
}

export interface OutputTensor {
  name: string;
  type: string;
  shape: number[];
  data: Float64Array;
}

export interface Prediction {
  /** Per class, in what `output` says: probabilities unless logits are asked for or the model gives raw scores. */
  prediction: number[];
  output: "prob" | "logit" | "raw";
  /** Class scores as the model gives them, on `scale`. */
  scores: number[];
  scale: Scale;
  classes: string[];
  /** Every output of the graph, raw. */
  outputs: OutputTensor[];
  notes: string[];
}

/** An open model. It survives a crash of its worker: it is then opened again from its bytes. */
export interface Model {
  readonly info: ModelInfo;
  predict(bag: Bag, options?: PredictOptions): Promise<Prediction>;
  /** Explanations of one engine run one after another; predictions are answered between. */
  explain(bag: Bag, options?: ExplainOptions): Promise<Report>;
  /** Says how coalitions of a bag are evaluated. Plans wait for their turn among explanations. */
  plan(bag: Bag, options?: PlanOptions): Promise<Plan>;
  /**
   * Measures how faithful explanations of a bag are: those of a report, or any rankings of its instances. What is
   * compared belongs in one call: its random orders and curves are then evaluated once.
   */
  judge(bag: Bag, rankings: Report | readonly Ranking[], options?: JudgeOptions): Promise<Judged>;
  /** Frees its memory. */
  close(): void;
}
