/** Bags, and the options for reading them from files. */

import type { Closable } from "../closable.js";
import type { BagInfo, PictureCut } from "./answers.js";
import type { BagLimits, Bytes, CallOptions, FileLike } from "./engine.js";
import type { Model } from "./model.js";
import type { Covariates } from "../covariates.js";
import type { PatchOptions, ReadOptions } from "../readoptions.js";

export type { Covariates, PatchOptions, ReadOptions };

export interface BagOptions extends ReadOptions, CallOptions {
  /** The file's name. Its ending selects the format if the content does not. */
  name?: string;
  /** Which bag of a set; default the first. `bags` opens it with the set if it is given. */
  index?: number;
  /** Shape of one instance, such as [1, 28, 28], if the file does not determine it. */
  instanceShape?: readonly number[];
  /** The model that gives `patch` and `instanceShape` if they are missing. */
  model?: Model;
  /**
   * Bounds on the resources of the file. A larger file is rejected with an error of kind "limit".
   */
  limits?: BagLimits;
  /** Called while a picture is cut, with the parts of it that are done. */
  onProgress?(done: number, total: number): void;
}

/** A format of files that bags are read from. */
export interface BagFormat {
  /** As texts have it: ".npy", "IDX". */
  name: string;
  /** Endings of file names. */
  endings: readonly string[];
  /** What a file holds. */
  summary: string;
}

export interface BagSet extends Closable {
  readonly length: number;
  readonly names: readonly string[];
  /** Sentences about decisions of the reader and ignored parts of the file. */
  readonly notes: readonly string[];
  /** How the picture was cut; null for a set of another file. */
  readonly cut: PictureCut | null;
  bag(index: number, options?: CallOptions): Promise<Bag>;
  close(): void;
}

/** A description whose lists are read only, too. */
export type Fixed<T> = { readonly [K in keyof T]: FixedList<T[K]> };
type FixedList<V> = V extends readonly (infer E)[] ? readonly E[] : V;

export interface Bag extends Closable, Fixed<BagInfo> {
  /** Returns a copy of the values, shaped (instance, shape...), row-major. */
  values(): Promise<Float32Array>;
  /** Returns a new bag of the given instances in the given order. */
  select(instances: readonly number[]): Promise<Bag>;
  /**
   * Returns a new bag of these instances and then those of another bag, which must have the same
   * shape. Boxes and labels stay if both bags have them; boxes may then be those of two pictures.
   */
  with(other: Bag): Promise<Bag>;
  /**
   * Returns a new bag of these instances for which inputs of the model beside them take other
   * values. Those that are not named stay.
   */
  withInputs(inputs: string | Covariates): Promise<Bag>;
  /**
   * Returns a new bag of these instances, which have `boxes`, with labels of annotations of the
   * slide in pixels of level 0: GeoJSON, or XML of ASAP, Aperio or HALO. The label of a patch is the
   * class of the annotation that its centre lies in, from 1 in the order of the file, or 0 outside
   * of all. Metrics compare with labels.
   */
  withAnnotations(file: Bytes): Promise<Bag>;
  /**
   * Returns the concepts of a file as the option `concepts` of `Model.groups` takes them: sets of
   * instances with names. Each class of annotations is a concept of the instances inside. A file of
   * vectors, such as `.npz`, has an array (n, d) for each name; an instance has the name of the
   * vector that is most similar to it. A file `.onnx` computes codes from features; an instance has
   * those above 0.
   */
  concepts(file: FileLike): Promise<string>;
  /** Frees the memory. */
  close(): void;
}
