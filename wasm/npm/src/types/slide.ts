/** Whole-slide pictures, which are read by ranges. */

export interface SlideOptions {
  /** The file's name, shown in messages. */
  name?: string;
}

/** One resolution of a slide. */
export interface SlideLevel {
  /** Pixels. */
  width: number;
  height: number;
  /** Pixels of a tile of the file, which is decoded at once. */
  tileWidth: number;
  tileHeight: number;
  /** Pixels of level 0 across that one pixel of this level covers; 1 for level 0. */
  downsample: number;
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
  /** Most pixels of the longer side of the mask, 1 to 4096; default 1024. */
  side?: number;
  /** Saturation 1 to 255 from which on a pixel is tissue. Default: Otsu's method finds it. */
  threshold?: number;
  /** Parts and holes of fewer pixels of the mask are removed; default 16. */
  smallest?: number;
}

/** Which parts of a slide are tissue. */
export interface TissueMask {
  width: number;
  height: number;
  /** Pixels of level 0 across that a pixel of the mask covers. */
  scale: number;
  /** The saturation that decided. */
  threshold: number;
  /** (height, width), 1 for tissue. */
  mask: Uint8Array<ArrayBuffer>;
}

export interface GridOptions {
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

/** Patches of a slide. */
export interface SlideGrid {
  /** Side of a patch in pixels of the patch. */
  patchSize: number;
  /** Side of a patch, and the distance to the next, in pixels of level 0. */
  side: number;
  step: number;
  /** The level that their pixels are read from. */
  level: number;
  /** Upper left corner of each patch in pixels of level 0. */
  x: readonly number[];
  y: readonly number[];
}

export interface RegionOptions {
  signal?: AbortSignal;
}

/** An open slide. */
export interface SlideImage {
  readonly name: string;
  /** "Aperio", "OME-TIFF" or "TIFF". */
  readonly format: string;
  /** The largest first. There is at least one. */
  readonly levels: readonly SlideLevel[];
  /** Microns that a pixel of level 0 covers, across and down; 0 if the file does not say. */
  readonly micronsX: number;
  readonly micronsY: number;
  /** Of the objective; 0 if the file does not say. */
  readonly magnification: number;
  /**
   * Whether the file holds a picture of the label or of the whole glass. These may name a patient
   * and are never read.
   */
  readonly private: boolean;
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
    options?: RegionOptions,
  ): Promise<Pixels>;
  /** Returns the slide in a picture whose longer side has at most `side` pixels, 1 to 4096. */
  overview(side: number, options?: RegionOptions): Promise<SlideOverview>;
  /** Finds the tissue by the saturation of its colours. */
  tissue(options?: TissueOptions): Promise<TissueMask>;
  /** Places patches where TRIDENT would. */
  grid(options: GridOptions): Promise<SlideGrid>;
  /** Ends the reading of the file. */
  close(): void;
}
