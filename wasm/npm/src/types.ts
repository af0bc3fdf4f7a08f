/**
 * The public types of the package. An Engine opens models and bags; a Model predicts and explains; everything is a
 * promise, and everything that can take long takes an AbortSignal.
 */

import type { MethodName, MethodOption, MetricName, SettingsName } from "./methods.js";

export type { MethodName, MethodOption, MetricName, SettingsName };

/** Bytes of a file as they come from fetch, from a file system or from an `<input type="file">`. */
export type Bytes = Uint8Array | ArrayBuffer | Blob;

/** A file with its name: a browser's `File` is one. */
export type FileLike = File | { name: string; data: Uint8Array | ArrayBuffer };

/** A wasm file as it is, or compiled, or on its way. */
export type WasmSource = BufferSource | WebAssembly.Module | Response;

export interface LoadOptions {
  /** Where bagscope.wasm lies; by default beside this module. */
  wasmURL?: string | URL;
  /** The wasm file itself, instead of where it lies: its bytes, compiled, or the answer to a request for it. */
  wasm?: WasmSource | Promise<WasmSource>;
  /**
   * Browsers: what encodes bags. "cpu", the default, loads the small program. "gpu" loads one that computes on a graphics
   * processor whatever it can, and fails with an error of kind "unavailable" where there is none. "auto" does so where there is
   * one and it pays, else it is as "cpu". Notes of predictions and reports name the device; scores agree within 1e-4 of the largest.
   */
  device?: "cpu" | "gpu" | "auto";
  /** Where bagscope-gpu.wasm lies, the program for graphics processors; by default beside this module. */
  gpuWasmURL?: string | URL;
  /** Browsers: where worker.js lies; by default beside this module. */
  workerURL?: string | URL;
  /** false runs the engine in the caller's own thread, which then stands still while it computes. Default true. */
  worker?: boolean;
  /**
   * How many workers may share an explanation; results do not depend on it, to the last bit. "auto", the default, takes
   * one a core and at most 4, and leaves what one does in a tenth of a second to one. A number from 1 to 64 shares all
   * work, however small. Workers beyond the first start when there is something to share.
   */
  workers?: number | "auto";
  /** Called when a worker beyond the first ended by itself. Its part is done elsewhere, and the next explanation starts another. */
  onWorkerLost?(reason: string): void;
}

export interface OpenOptions {
  /** The file's name, shown in messages. */
  name?: string;
  /** A model card that wins over the one in the file: an object, or its JSON text. */
  card?: object | string;
  /** Runs the whole graph as the file has it for every coalition: the slow way that the fast one must equal. */
  plain?: boolean;
  /**
   * The files that the model keeps tensors in, such as model.onnx.data: by their path below the model's folder, or as
   * files that are called so. An error of kind "missing" tells which are needed.
   */
  external?: Readonly<Record<string, Bytes>> | readonly FileLike[];
  /** What the file may ask for. One that asks for more is refused with an error of kind "limit". */
  limits?: ModelLimits;
}

/** Bounds on what a model file may ask for. */
export interface ModelLimits {
  /** Size of the file in bytes; default 1 GiB. */
  modelBytes?: number;
  /** Elements of one tensor; default 2^28. */
  elements?: number;
  /** Memory of the tensors of one run, and of all weights, in bytes; default 2 GiB. */
  runBytes?: number;
  /** Nodes of all graphs; default 100,000. */
  nodes?: number;
  /** Graphs inside of the nodes of graphs; default 16, never above 256. */
  depth?: number;
  /** Trips of one Loop or Scan in a run; default 1,000,000. */
  loopTrips?: number;
  /** Multiplications, or elements touched, of one run of the graph, for a bag or a coalition; default 2^44. */
  work?: number;
}

/** Bounds on what a file of bags may ask for. */
export interface BagLimits {
  /** Bytes of the file, and of it unpacked; default 1 GiB. */
  bytes?: number;
  /** Numbers in one array; default 2^28. */
  elements?: number;
  /** Pixels of one picture; default 2^26. */
  pixels?: number;
  /** Instances in one file; default 2^22. */
  instances?: number;
  /** Bags in one file; default 2^20. */
  bags?: number;
  /** Columns of a table; default 2^20. */
  columns?: number;
}

export interface PatchOptions {
  /** Side of a patch in pixels; default the side of the model's instances. */
  size?: number;
  /** Pixels from one patch to the next; default the size. */
  stride?: number;
  /** Patches whose mean brightness (0..255) is at least this are left out; default none is. */
  background?: number;
}

export interface BagOptions {
  /** The file's name: its ending decides where the content leaves two readings open. */
  name?: string;
  /** Which bag of a set; default the first. */
  index?: number;
  /** How a picture is cut; by default the model card's way, where the model is given, else an error. */
  patch?: PatchOptions;
  /** Shape of one instance, where the file leaves it open, such as [1, 28, 28]. */
  instanceShape?: readonly number[];
  /** Takes `patch` and `instanceShape` from this model where they are not given. */
  model?: Model;
  /** What the file may ask for. One that asks for more is refused with an error of kind "limit". */
  limits?: BagLimits;
}

/** The JavaScript side of the engine, in a Web Worker (or a worker thread of Node). */
export interface Engine {
  /** Version of bagscope, such as "0.1.0". */
  readonly version: string;
  /** The table of methods, in the paper's order. */
  readonly methods: readonly MethodInfo[];
  /** The settings that the paper uses for each of its data sets. */
  readonly settings: readonly DataSettings[];
  /** The table of metrics by which explanations are judged. */
  readonly metrics: readonly MetricInfo[];
  /** Opens an ONNX model. */
  open(model: Bytes, options?: OpenOptions): Promise<Model>;
  /** Reads one bag: .npy, .npz, .csv, IDX, a picture; several pictures are one instance each. */
  bag(source: Bytes | readonly FileLike[], options?: BagOptions): Promise<Bag>;
  /** Reads a file with any number of bags. */
  bags(source: Bytes | readonly FileLike[], options?: BagOptions): Promise<BagSet>;
  /** Draws a bag, with an explanation of it unless `report` is null. */
  draw(bag: Bag, report: Report | null, options?: DrawOptions): Promise<Picture>;
  /** Ends the worker. What is still running is rejected as cancelled. */
  close(): void;
}

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

export interface ExplainOptions {
  /** One method, several, or "all". */
  method: MethodName | "all" | readonly (MethodName | "all")[];
  /** Classes to explain; default all. */
  classes?: readonly number[];
  /** The paper's settings for a data set; the options below win over them. */
  settings?: SettingsName;
  /** Instances to leave out of the bag. Scores are then those of the instances that stay, see `Report.instances`. */
  without?: readonly number[];
  /** Coalitions to draw. */
  samples?: number;
  /** MILLI: probability of the most important instance, between 0 and 1. */
  alpha?: number;
  /** MILLI: bend of the sampling curve. */
  beta?: number;
  /** LIME: mean bag size, which sets the kernel's width; default the bag's own. */
  meanBag?: number;
  /** LIME: how far a coalition is from the full bag. */
  distance?: "l2" | "cosine";
  /** Each draw is followed by its complement. */
  paired?: boolean;
  /** Repeated draws are kept. */
  repeats?: boolean;
  /** MILLI: what instances are ranked by. */
  rank?: "negative-class" | "explained-class";
  /** Whose conventions hold where the paper's print and its code differ. */
  preset?: "paper" | "reference";
  /** SHAP: scores sum to F(X) minus this value of the empty bag. */
  efficiency?: "uniform" | "zero" | "game";
  /** Coalitions that take the place of the sampler: strings of 0 and 1, a character an instance. */
  coalitions?: readonly string[];
  /** What is explained; default "prob". */
  output?: "prob" | "logit";
  /** Of every random stream: equal seeds give equal reports. Default 0. */
  seed?: number | bigint;
  /** Most model evaluations; default no limit. */
  budget?: number;
  /** Most bytes of memory that the bag and its explanation may take, estimated before any work; default no limit. */
  memory?: number;
  /** A method that the model cannot serve is listed in `skipped` instead of failing. Default true for "all" or several. */
  skipMissing?: boolean;
  /** Returns the coalitions that were evaluated, in `Report.coalitions`. */
  trace?: boolean;
  signal?: AbortSignal;
  /**
   * Called as evaluations finish; `total` is an upper bound until the last call. While a large bag is encoded, before
   * any evaluation, it is called with instances.
   */
  onProgress?(done: number, total: number, of: "instances" | "evaluations"): void;
}

export interface Explanation {
  method: MethodName;
  /** The settings in force, defaults filled in. */
  settings: Record<string, string | number | boolean>;
  class: number;
  /** Per instance; above zero supports the class, below refutes it. */
  scores: number[];
  /** Per instance, or null where the method does not sample. */
  stderr: number[] | null;
  /** Weighted R² of the surrogate, or null where there is none. */
  r2: number | null;
  /** Coalitions that the method looked at, shared ones included. */
  evaluations: number;
  notes: string[];
}

export interface Report {
  /** Per class, of the bag that was explained. */
  prediction: number[];
  output: "prob" | "logit" | "raw";
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
  /** The instances of the bag that the scores belong to, in order: all of them, less those left out. */
  instances: number[];
  /** With `trace`: every coalition that was evaluated, in order, as a string of 0 and 1. Else empty. */
  coalitions: string[];
}

/** An open model. It survives a crash of its worker: it is then opened again from its bytes. */
export interface Model {
  readonly info: ModelInfo;
  predict(bag: Bag, options?: PredictOptions): Promise<Prediction>;
  /** Explanations of one engine run one after another; predictions are answered between. */
  explain(bag: Bag, options: ExplainOptions): Promise<Report>;
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

export interface BagSet {
  readonly length: number;
  readonly names: readonly string[];
  /** What was decided or left out while reading, in sentences. */
  readonly notes: readonly string[];
  bag(index: number): Promise<Bag>;
  close(): void;
}

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

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Bag {
  readonly name: string;
  /** Number of instances k. */
  readonly instances: number;
  /** Of one instance. */
  readonly shape: readonly number[];
  /** Values are pixels 0..255 that a model's preprocessing has not seen yet. */
  readonly raw: boolean;
  /** Where each instance lies in its picture, or null. */
  readonly boxes: readonly Box[] | null;
  /** True label of each instance, -1 unknown, or null. */
  readonly labels: readonly number[] | null;
  /** True classes of the bag, or null. */
  readonly classes: readonly number[] | null;
  /** Shape (instance, shape...), row-major; a copy. */
  values(): Promise<Float32Array>;
  /** A new bag of the given instances in the given order. */
  select(instances: readonly number[]): Promise<Bag>;
  /** Frees its memory. */
  close(): void;
}

/** Lengths are in layout pixels. */
export interface DrawOptions {
  /**
   * "strip": rows of small pictures, under each a signed cell for every class; "overlay": the picture with its patches
   * tinted by sign; "bars": a row for each instance, a signed bar for every class. Default: what suits the bag.
   */
  kind?: "strip" | "overlay" | "bars";
  /** Which method of the report; default its first. */
  method?: MethodName;
  /** Which classes; default all that the report explains. An overlay shows the first. */
  classes?: readonly number[];
  /** Names by class index; default those of the report. */
  classNames?: readonly string[];
  /** Width of the picture; default 880. */
  width?: number;
  /** Side of a small picture or height of a bar's row. */
  cell?: number;
  /** Pixels along each side of a layout pixel, for dense screens: 1 to 4. */
  scale?: number;
  /** Light on dark. */
  dark?: boolean;
  /** One scale of intensity for all classes, instead of one for each. */
  shared?: boolean;
  /** Instances that were taken out of the bag: drawn faint. Default those that the report was made without. */
  removed?: readonly number[];
  /** Overlay: leave only so many of the highest-scoring patches bright. */
  top?: number;
  /** With `top`: brightness 1/log2(i+1) for the i-th. */
  discount?: boolean;
  /** Overlay: of the strongest tint. */
  opacity?: number;
  /** Bars: highest score of the first class first, instead of by index. */
  sorted?: boolean;
}

export interface Cell extends Box {
  /** Index into the bag that was drawn. */
  instance: number;
  /** The class whose score the cell shows, or null for the instance itself. */
  class: number | null;
}

export interface Picture {
  readonly width: number;
  readonly height: number;
  /** Four bytes a pixel, as `ImageData` takes them. */
  readonly rgba: Uint8ClampedArray<ArrayBuffer>;
  readonly cells: readonly Cell[];
  /** The picture as a PNG file. */
  png(): Promise<Uint8Array<ArrayBuffer>>;
}

export interface MethodInfo {
  name: MethodName;
  /** "One Removed" */
  title: string;
  summary: string;
  /** Model evaluations, as a formula in k and n. */
  cost: string;
  /** The options of `ExplainOptions` that it takes. */
  options: MethodOption[];
}

export interface DataSettings {
  name: SettingsName;
  /** "4-MNIST-Bags" */
  title: string;
  samples: number;
  alpha: number;
  beta: number;
  meanBag: number;
  repeats: boolean;
}

export interface MetricInfo {
  name: MetricName;
  /** "AOPC-R" */
  title: string;
  summary: string;
  /** Needs instance labels of the bag, and a model card that says which of them support a class. */
  labels: boolean;
  /** Lower is better. */
  lower: boolean;
}

export type ErrorKind =
  | "format" // the bytes are wrong
  | "unsupported" // an operator that this engine does not have
  | "missing" // files that the model keeps tensors in; details.files has a line for each
  | "limit" // larger than the limits allow
  | "setting" // an option makes no sense
  | "unavailable" // the method cannot answer for this model, or there is no graphics processor
  | "budget" // more evaluations than the budget
  | "non-finite" // the model gives NaN or infinity
  | "bag" // the bag does not fit the model, or contradicts itself
  | "cancelled" // aborted or closed
  | "internal"; // a fault of bagscope
