/** Pictures of explanations. */

import type { PaletteName } from "../colours.js";
import type { MethodName } from "../methods.js";
import type { Box, Cell, NamePlace } from "./answers.js";

/** Options of `Engine.draw`. Lengths are in layout pixels. */
export interface DrawOptions {
  /**
   * "strip": rows of small pictures, under each a signed cell for every class; "overlay": the
   * picture with its patches tinted by sign; "map": a signed cell at the coordinates of each
   * patch; "bars": a row for each instance, a signed bar for every class. Default: "overlay" for a
   * bag cut from a picture, "strip" for instances that are pictures, "map" for others with
   * coordinates, else "bars".
   */
  kind?: "strip" | "overlay" | "map" | "bars";
  /** Which method of the report; default its first. */
  method?: MethodName;
  /**
   * Which classes; default all that the report explains, the predicted one first. An overlay and a
   * map show the first.
   */
  classes?: readonly number[];
  /** Names by class index; default those of the report. */
  classNames?: readonly string[];
  /**
   * Strip, bars: the width of names beside rows, for pages that write names and legend themselves.
   * The picture then has neither, and `Picture.names` says where names go.
   */
  nameWidth?: number;
  /** Width of the picture; default 880. */
  width?: number;
  /** Side of a small picture, height of a bar's row or mean side of a map's patches. */
  cell?: number;
  /**
   * Strip: small pictures are larger than `cell`, up to twice, while the picture is no higher than
   * this.
   */
  height?: number;
  /** Pixels along each side of a layout pixel, for dense screens: 1 to 4. */
  scale?: number;
  /** True draws light on dark. */
  dark?: boolean;
  /**
   * The colours for and against a class: "blue-orange", the default, which readers with any kind of
   * colour vision distinguish, or "green-red", those of the paper.
   */
  colours?: PaletteName;
  /**
   * Each class has its own scale of intensity. Default: one scale for all classes that the method
   * explains.
   */
  perClass?: boolean;
  /**
   * The difference from the neutral point that has the strongest colour, in the unit of the scores,
   * so that pictures of several bags can be compared. Larger ones have the same colour, and the
   * legend states their number. Default: that of `Attribution.scale`.
   */
  strongest?: number;
  /** Removed instances, which are drawn faint. Default: the instances that the report excludes. */
  removed?: readonly number[];
  /** Overlay, map: the number of highest-scoring patches to keep bright; all others are dimmed. */
  top?: number;
  /** With `top`: the patch of rank i, from 1, has the brightness 1/log2(i+1). */
  discount?: boolean;
  /** Overlay: opacity of the strongest tint, above 0 and at most 1. */
  opacity?: number;
  /** Strip, bars: true puts the strongest instances of any drawn class first, instead of by index. */
  sorted?: boolean;
  /** Strip, bars: all instances in the order in which they are drawn, instead of `sorted`. */
  order?: readonly number[];
  /** The words of title and legend, in another language than English. */
  words?: PictureWords;
}

/**
 * The words of a picture in a language. Texts have their values in the places {0}, {1} and so on, in
 * any order.
 */
export interface PictureWords {
  /** Of the picture; "" for the title of its method. */
  title: string;
  supports: string;
  refutes: string;
  /** Number of drawn instances, of all. */
  strongest: string;
  /** Units; those that a model's card names stay as they are. */
  probability: string;
  logOdds: string;
  logit: string;
  score: string;
  /** Number, or numbers with units. */
  largest: string;
  /** Unit, number. */
  largestIn: string;
  unitScales: string;
  classScales: string;
  /** Numbers with units. */
  full: string;
  /** Unit, numbers. */
  fullIn: string;
  /** Unit, what the scale is from. */
  stated: string;
  asStated: string;
  /** Unit. */
  oneClass: string;
  /** Unit, number of classes. */
  shared: string;
  /** Number, highest and lowest score, unit. */
  bright: string;
  /** What `bright` says. */
  byRank: string;
  /** Numbers. */
  neutral: string;
  unknown: string;
  /** Numbers, number of instances. */
  fromZero: string;
  fromNeutral: string;
  /** What `fromZero` or `fromNeutral` says. */
  eachClass: string;
  /** Numbers. */
  small: string;
  beyond: string;
  /** Number. */
  removed: string;
  /** A number, the class that it is of. */
  of: string;
  /** Numbers of classes, number of the others. */
  more: string;
  /** Between two numbers of classes. */
  comma: string;
  /** The decimal sign. */
  decimal: string;
  /** Aligns title and legend at the right. Scales keep their direction. */
  rightToLeft: boolean;
}

export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly cells: readonly Cell[];
  /** Where names go, with `DrawOptions.nameWidth`. */
  readonly names: readonly NamePlace[];
  /** Paints the picture, or a part of it such as a cell, on a canvas, which gets its size. */
  paint(canvas: HTMLCanvasElement | OffscreenCanvas, part?: Box): void;
  /** The picture as a PNG file, which the engine paints. It fails after `Engine.close`. */
  png(): Promise<Uint8Array<ArrayBuffer>>;
}
