/** Bags, and how files of them are read. */

import type { BagLimits } from "./engine.js";
import type { Model } from "./model.js";

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

export interface BagSet {
  readonly length: number;
  readonly names: readonly string[];
  /** What was decided or left out while reading, in sentences. */
  readonly notes: readonly string[];
  bag(index: number): Promise<Bag>;
  close(): void;
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
