/** Bags, and the options for reading them from files. */

import type { Closable } from "../closable.js";
import type { BagLimits, CallOptions } from "./engine.js";
import type { Model } from "./model.js";
import type { PatchOptions, ReadOptions } from "../readoptions.js";

export type { PatchOptions, ReadOptions };

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

/** How a picture is cut into patches: a grid, of which the dark patches are kept. */
export interface PictureCut {
  /** Side of a patch, and from one patch to the next, in pixels. */
  readonly size: number;
  readonly stride: number;
  /** Patches with a mean of at least this value are omitted; 0 keeps all. */
  readonly background: number;
  /** 3 for red, green, blue, or 1 for luma. */
  readonly channels: number;
  /** The sides of the picture in pixels. */
  readonly width: number;
  readonly height: number;
  /** Patches in a row and in a column of the grid, background included. */
  readonly across: number;
  readonly down: number;
  /** Mean brightness 0..255 of each patch of the grid, row by row; empty if not measured. */
  readonly means: Float64Array;
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

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/**
 * A slide at its full resolution, level 0. A number is 0, and a text empty, if the file does not
 * state it.
 */
export interface Slide {
  name: string;
  /** Pixels. */
  width: number;
  height: number;
  /** Objective power, such as 40. */
  magnification: number;
  /** Microns a pixel. */
  mpp: number;
  /** Side of a patch in pixels, 0 if patches are not square. */
  patchSize: number;
  /** Pixels that a patch shares with the next one. */
  overlap: number;
  /**
   * "um" if boxes, `patchSize` and `overlap` are in micrometres, because nothing states `mpp`;
   * empty if they are in pixels.
   */
  unit: string;
}

export interface Bag extends Closable {
  readonly name: string;
  /** Number of instances k. */
  readonly instances: number;
  /** Shape of one instance. */
  readonly shape: readonly number[];
  /** True if values are pixels 0..255 to which the model's preprocessing is still to be applied. */
  readonly raw: boolean;
  /** Rectangle of each instance in its picture, or null. */
  readonly boxes: readonly Box[] | null;
  /** True label of each instance (-1 means unknown), or null. */
  readonly labels: readonly number[] | null;
  /** What the file states about the slide that the boxes are in, or null. */
  readonly slide: Slide | null;
  /** True classes of the bag, or null. */
  readonly classes: readonly number[] | null;
  /** Returns a copy of the values, shaped (instance, shape...), row-major. */
  values(): Promise<Float32Array>;
  /** Returns a new bag of the given instances in the given order. */
  select(instances: readonly number[]): Promise<Bag>;
  /**
   * Returns a new bag of these instances and then those of another bag, which must have the same
   * shape. Boxes and labels stay if both bags have them; boxes may then be those of two pictures.
   */
  with(other: Bag): Promise<Bag>;
  /** Frees the memory. */
  close(): void;
}
