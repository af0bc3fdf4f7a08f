/** Whole-slide pictures, which are read by ranges, and their patches. */

import type { Closable } from "../closable.js";
import type { SlideGrid, SlideInfo, TissueMask } from "./answers.js";
import type { Bag, Fixed } from "./bag.js";
import type { Bytes, CallOptions } from "./engine.js";
import type { Model, ModelInfo } from "./model.js";

export interface SlideOptions extends CallOptions {
  /** The file's name, shown in messages. */
  name?: string;
  /**
   * Which number in the names of tiles is x, such as of 3_5.jpg: "xy" or "yx". By default words in
   * the names or the edges of the tiles say it, or the call rejects.
   */
  tileNames?: string;
}

/** Opaque pixels, four bytes each. */
export interface Pixels {
  width: number;
  height: number;
  rgba: Uint8ClampedArray<ArrayBuffer>;
}

/** A whole slide in one picture. */
export interface SlideOverview extends Pixels {
  /** Pixels of level 0 across that one of its pixels covers. */
  scale: number;
}

export interface TissueOptions {
  /**
   * Most pixels of the longer side of the mask, 1 to 4096. Default: those of `patches` and of the
   * command bagscope tiles, 2048 or those of a level that is up to half as large.
   */
  side?: number;
  /** Saturation 1 to 255 from which on a pixel is tissue. Default: Otsu's method finds it. */
  threshold?: number;
  /** Parts and holes of fewer pixels of the mask are removed; default 16. */
  smallest?: number;
}

export interface MaskOptions extends TissueOptions, CallOptions {}

export interface GridOptions extends CallOptions {
  /** Side of a patch in pixels. */
  patchSize: number;
  /** Microns that a pixel of a patch covers. Default: pixels of level 0. */
  microns?: number;
  /** Pixels of a patch that the next one repeats; default 0. */
  overlap?: number;
  /** Where patches are placed; null places them over the whole slide. Default: on the tissue. */
  tissue?: TissueOptions | null;
  /** Smallest part of a patch, 0 to 1, that must be tissue; default: any. */
  minTissue?: number;
}

/** A model that turns pictures into features. */
export interface Encoder extends Closable {
  readonly info: ModelInfo;
  /** Frees the memory. */
  close(): void;
}

/**
 * What a file states of the patches of a slide; "" is another file. A configuration is that of an
 * encoder, of WSInfer, timm, Hugging Face, MONAI or TIAToolbox; it is a card.
 */
export type SlideFileKind = "annotations" | "mask" | "places" | "configuration" | "";

export interface LayOptions extends GridOptions {
  /**
   * Encodes patches. Default: the layers of `model` that treat each picture alone.
   */
  encoder?: Encoder;
  /**
   * The model that takes pictures, in colours or grey; read without `encoder`. If no layer of it
   * holds features of each picture alone, patches stay pictures, so that the pixels of all patches
   * are in memory together.
   */
  model?: Model;
  /**
   * Other patches of the slide. Features of those at the same places are kept if the encoder and
   * the size of patches are the same.
   */
  from?: SlidePatches;
  /**
   * A file that marks the tissue, instead of `tissue`: a mask of the whole slide in PNG or TIFF at
   * any scale, black where nothing is marked, GeoJSON, or XML of ASAP, Aperio or HALO.
   */
  tissueFile?: Bytes;
  /** Files that mark what is no tissue, in the forms of `tissueFile`. */
  exclude?: Bytes | readonly Bytes[];
  /**
   * A file with the places of patches, of CLAM, TRIDENT or STAMP (.h5) or a table (.csv). Exactly
   * these patches are laid, in their order, instead of a grid on tissue. `microns` counts if the file
   * does not state the size of a patch.
   */
  places?: Bytes;
}

export interface EncodeOptions {
  /** How many patches are encoded afterwards; default all. */
  until?: number;
  /** Ends the work. What is encoded stays, so that a further call goes on from there. */
  signal?: AbortSignal;
  /** Called with the number of patches that are encoded, at most once in 16 ms. */
  onProgress?(done: number, total: number): void;
}

/**
 * Patches of a slide that are encoded in parts, coarse to fine: every fourth across and down, then
 * every second, then all others. If the engine's program ends unexpectedly, what was encoded is
 * lost.
 */
export interface SlidePatches extends Closable {
  readonly grid: SlideGrid;
  /** Numbers of patches after which those that are encoded lie evenly over the slide. */
  readonly stages: readonly number[];
  /** The patches of the grid, in the order in which they are encoded. */
  readonly order: readonly number[];
  /** How tissue was found. */
  readonly method: string;
  /** The saturation that decided, 0 for the whole slide. */
  readonly threshold: number;
  /** The part of the slide that is tissue, 0 to 1. */
  readonly share: number;
  /** The patches that are encoded, ascending, after the last call that has ended. */
  readonly encoded: readonly number[];
  /**
   * The shape of what a patch is encoded to: [features], or [channels, rows, columns] if patches stay
   * pictures; [] until one is encoded.
   */
  readonly shape: readonly number[];
  /**
   * In sentences: whether the encoder's first layer does not take raw pixels and its card states no
   * preprocessing, which is known before patches are encoded, and which graphics processor computed
   * the features, see `LoadOptions.device`.
   */
  readonly notes: readonly string[];
  /** Reads and encodes patches in a stream: the pixels of a few are in memory at a time. */
  encode(options?: EncodeOptions): Promise<void>;
  /**
   * Takes the features of a file that `file` or the command bagscope tiles has written. It must be
   * of a slide of the same size, of the same encoder, and of patches of the same size.
   */
  resume(file: Bytes, name?: string): Promise<void>;
  /** Returns the patches that are encoded as a bag, in the order of the grid. */
  bag(options?: CallOptions): Promise<Bag>;
  /**
   * Returns an .h5 file in TRIDENT's form with the features of the patches that are encoded. It
   * rejects if they stay pictures.
   */
  file(): Promise<Uint8Array<ArrayBuffer>>;
  /** Frees the memory. Bags that were taken stay open. */
  close(): void;
}

/** An open slide. */
export interface SlideImage extends Closable, Fixed<SlideInfo> {
  /**
   * Returns a rectangle of a level, in pixels of the level; at most 2^22 pixels. Outside of the
   * slide it is white.
   */
  region(
    level: number,
    x: number,
    y: number,
    width: number,
    height: number,
    options?: CallOptions,
  ): Promise<Pixels>;
  /** Returns the slide in a picture whose longer side has at most `side` pixels, 1 to 4096. */
  overview(side: number, options?: CallOptions): Promise<SlideOverview>;
  /** Finds the tissue by the saturation of its colours. */
  tissue(options?: MaskOptions): Promise<TissueMask>;
  /** Places patches where TRIDENT would. */
  grid(options: GridOptions): Promise<SlideGrid>;
  /** Places patches to be encoded. The slide must stay open meanwhile. */
  patches(options: LayOptions): Promise<SlidePatches>;
  /** Ends the reading of the file. */
  close(): void;
}
