/** Starting the engine, and what it opens. */

import type { Bag, BagOptions, BagSet } from "./bag.js";
import type { DataSettings, MethodInfo, MetricInfo } from "./catalogue.js";
import type { DrawOptions, Picture } from "./drawing.js";
import type { Report } from "./explanation.js";
import type { Model } from "./model.js";

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
