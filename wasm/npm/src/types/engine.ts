/** The engine: how to start it, and its calls to open models and bags. */

import type { Closable } from "../closable.js";
import type { PaletteName } from "../colours.js";
import type { MethodInfo, PictureCut, TableView } from "./answers.js";
import type { Bag, BagOptions, BagSet } from "./bag.js";
import type { DataSettings, MetricInfo } from "./catalogue.js";
import type { DrawOptions, Picture } from "./picture.js";
import type { Report } from "./explanation.js";
import type { Model } from "./model.js";
import type { Encoder, SlideFileKind, SlideImage, SlideOptions } from "./slide.js";

/** Bytes of a file as they come from fetch, from a file system or from an `<input type="file">`. */
export type Bytes = Uint8Array | ArrayBuffer | Blob;

/** A file with its name: a browser's `File` is one. */
export type FileLike = File | { name: string; data: Uint8Array | ArrayBuffer };

/** A picture that is decoded already, for formats that only a browser reads. */
export interface PixelFile {
  name: string;
  /**
   * Red, green, blue and alpha of each pixel, row by row, as in `ImageData`. A function opens a port
   * to a thread that has them: it gets messages `{ at, length }`, in bytes, and answers each by a
   * `Uint8Array` or an `Error`. The program reads only the rows that it needs.
   */
  data: Bytes | (() => MessagePort);
  width: number;
  height: number;
}

/** A file of bags; or several, which are read as one bag of pictures. */
export type BagSource = Bytes | readonly (FileLike | PixelFile)[];

/** The content of a wasm file, a compiled module, or a response that delivers the file. */
export type WasmSource = BufferSource | WebAssembly.Module | Response;

/** What most calls take. */
export interface CallOptions {
  /** An abort rejects the call at once, by an error with the name "AbortError". */
  signal?: AbortSignal;
}

/** What has arrived of the engine's program. */
export interface Loading {
  /** Bytes that are sent in all, compressed if the host compresses and says how many they are. */
  bytes: number;
  /** The part that has arrived, from 0 to 1. */
  share: number;
}

export interface LoadOptions {
  /** URL of bagscope.wasm; default: beside this module. */
  wasmURL?: string | URL;
  /** The wasm program itself, instead of its URL. */
  wasm?: WasmSource | Promise<WasmSource>;
  /**
   * Browsers: the device that encodes bags. "cpu", the default, loads the small program. "gpu"
   * loads a program that uses a graphics processor for everything that it can compute, and fails
   * with an error of kind "unavailable" if there is none. "auto" uses a graphics processor if there
   * is one and it is faster, else the CPU. Notes of predictions and reports name the device. Scores
   * of both devices agree within 1e-4 of the largest score.
   */
  device?: "cpu" | "gpu" | "auto";
  /** URL of bagscope-gpu.wasm, the program for graphics processors; default: beside this module. */
  gpuWasmURL?: string | URL;
  /**
   * URL of codec.wasm, the decoder of JPEG 2000, which is fetched when a file needs it; default:
   * beside this module. Null fetches none, and such files are refused.
   */
  codecURL?: string | URL | null;
  /** Browsers: URL of worker.js; default: beside this module. */
  workerURL?: string | URL;
  /**
   * False runs the engine in the caller's thread, which is blocked while it computes. Default true.
   */
  worker?: boolean;
  /**
   * The number of workers that share an explanation; results are equal to the last bit for any
   * number. "auto", the default, uses one worker for each core, at most 4, and one worker for tasks
   * below 0.1 s. A number from 1 to 64 shares all tasks. Workers beyond the first start when there
   * is work to share.
   */
  workers?: number | "auto";
  /** Browsers: called while bagscope.wasm is being fetched in the worker. */
  onLoading?(loading: Loading): void;
  /**
   * Called when a worker beyond the first ends unexpectedly. Other workers do its part; the next
   * explanation starts a new one.
   */
  onWorkerLost?(reason: string): void;
}

export interface EnsembleOptions extends CallOptions {
  /** What is averaged; default "log-odds". */
  mean?: "log-odds" | "prob";
}

export interface OpenOptions extends CallOptions {
  /** The file's name, shown in messages. */
  name?: string;
  /** A model card that replaces the card in the file: an object or its JSON text. */
  card?: object | string;
  /**
   * True runs the whole, unoptimised graph for every coalition. It is slow and serves to check the
   * fast evaluation.
   */
  plain?: boolean;
  /**
   * The files with tensors of the model, such as model.onnx.data: a record by path relative to the
   * model's folder, or files with these names. An error of kind "missing" lists the files that are
   * needed.
   */
  external?: Readonly<Record<string, Bytes>> | readonly FileLike[];
  /**
   * Name of an ONNX file of `external` that the bag goes through before the model, such as the
   * encoder of a slide before a head. The default is what the card's key `via` names.
   * Encoders take the key alone.
   */
  via?: string;
  /**
   * What the vector that the model returns for a bag is compared with: a file with a vector, with
   * prototypes of classes or with a linear probe (.npy, .npz, .pt or .safetensors), or the numbers
   * of a vector with its name, such as the scores of a prediction for another bag. The model's
   * classes are then the likenesses. Encoders take none.
   */
  target?: FileLike | { name: string; vector: ArrayLike<number> };
  /** How vectors are compared; the default is what the card's key `likeness` states, or cosine. */
  likeness?: "cosine" | "dot";
  /**
   * Bounds on the resources of the file. A larger file is rejected with an error of kind "limit".
   */
  limits?: ModelLimits;
}

/** Bounds on the resources of a model file. */
export interface ModelLimits {
  /** Size of the file in bytes; default 1 GiB. */
  modelBytes?: number;
  /** Elements of one tensor; default 2^28. */
  elements?: number;
  /** Memory of the tensors of one run, and of all weights, in bytes; default 2 GiB. */
  runBytes?: number;
  /** Nodes of all graphs; default 100,000. */
  nodes?: number;
  /** Nesting depth of subgraphs; default 16, at most 256. */
  depth?: number;
  /** Iterations of one Loop or Scan in a run; default 1,000,000. */
  loopTrips?: number;
  /**
   * Multiplications, or elements read and written, in one run of the graph for a bag or a
   * coalition; default 2^44.
   */
  work?: number;
}

/** Bounds on the resources of a file of bags. */
export interface BagLimits {
  /** Bytes of the file, packed and unpacked; default 1 GiB. */
  bytes?: number;
  /** Numbers in one array; default 2^28. */
  elements?: number;
  /** Pixels of one picture; default 2^26, or as many as the program's memory holds. */
  pixels?: number;
  /** Instances in one file; default 2^22. */
  instances?: number;
  /** Bags in one file; default 2^20. */
  bags?: number;
  /** Columns of a table; default 2^20. */
  columns?: number;
}

export interface GeoJSONOptions {
  /**
   * The class that QuPath's classifications ("supports", "refutes") are about. Default: the class
   * with the largest prediction among those that the report explains.
   */
  class?: number;
  /** Names of the classes; default those of the report. */
  classNames?: readonly string[];
  /** Names of all instances of the bag, "" for none; default those of the bag. */
  instanceNames?: readonly string[];
  /** The colours of the classifications; default "blue-orange". */
  colours?: PaletteName;
}

export interface DICOMOptions extends Pick<GeoJSONOptions, "class" | "classNames" | "colours"> {
  /**
   * "seg", the default, is a segmentation: a map of what supports the class and of what refutes it.
   * "sr" is a structured report (TID 1500) of the instances that stand out, such as key slices.
   */
  form?: "seg" | "sr";
  /** Most instances of a report, the largest scores first; by default all that stand out. */
  top?: number;
  /**
   * The bytes of a DICOM file of the same study, of which the patient and the study are copied. By
   * default these attributes are empty.
   */
  identifiers?: Uint8Array;
  /** When the file is made; by default now. */
  time?: Date;
}

export interface HeatmapOptions
  extends
    CallOptions,
    Pick<DrawOptions, "method" | "classes" | "classNames" | "colours" | "strongest"> {
  /**
   * "ome.tif", the default, is a pyramidal OME-TIFF with a picture for each class; "zip" an archive
   * with a Deep Zoom picture (DZI) of the first class, for viewers in pages.
   */
  form?: "ome.tif" | "zip";
  /** Name of the Deep Zoom picture, without its ending; default the bag's. */
  name?: string;
  /** Called while tiles are written, with their number so far and that of the whole file. */
  onProgress?: (done: number, total: number) => void;
}

export interface TilesOptions
  extends CallOptions, Pick<DrawOptions, "method" | "classNames" | "dark" | "scale"> {
  /** The slide in whose pixels a bag of features has its places. Pictures need none. */
  slide?: SlideImage;
  /** Patches with the highest and with the lowest scores of each class, at most 200; default 8. */
  number?: number;
}

/** The JavaScript side of the engine, in a Web Worker (or a worker thread of Node). */
export interface Engine extends Closable {
  /** Version of bagscope, such as "0.1.0". */
  readonly version: string;
  /** The table of methods, in the paper's order. */
  readonly methods: readonly MethodInfo[];
  /** The paper's settings for each of its data sets. */
  readonly settings: readonly DataSettings[];
  /** The table of metrics that `Model.judge` computes. */
  readonly metrics: readonly MetricInfo[];
  /** Opens an ONNX model. */
  open(model: Bytes, options?: OpenOptions): Promise<Model>;
  /**
   * Returns several open models of one task, such as the folds of a cross-validation, as one: its
   * class scores are the mean of theirs. Reports and predictions also have what each of them says
   * (`folds`). It stays open if they are closed.
   */
  ensemble(models: readonly Model[], options?: EnsembleOptions): Promise<Model>;
  /**
   * Opens an ONNX model that turns pictures (n, channels, height, width) into features (n, d), for
   * `SlideImage.patches`. `options.plain` is not read.
   */
  encoder(model: Bytes, options?: OpenOptions): Promise<Encoder>;
  /** Reads one bag from a file in one of `bagFormats`; several pictures are one instance each. */
  bag(source: BagSource, options?: BagOptions): Promise<Bag>;
  /** Reads a file with any number of bags. */
  bags(source: BagSource, options?: BagOptions): Promise<BagSet>;
  /**
   * Measures how bright the patches are that a picture would be cut into by these options, so that
   * a background can be chosen.
   */
  survey(file: Bytes | FileLike | PixelFile, options?: BagOptions): Promise<PictureCut>;
  /**
   * Returns how a table of text begins, and what its columns are taken for by these options, so
   * that a user can state other roles in `columns`. Files of other formats are rejected.
   */
  table(file: Bytes | FileLike, options?: BagOptions): Promise<TableView>;
  /**
   * Opens a whole-slide picture: .svs, OME-TIFF, a tiled pyramid in TIFF or BigTIFF, or the files
   * of a slide of DICOM. They are read by ranges while the slide is open, so that a `File` of any
   * size costs what is looked at.
   */
  slide(source: Bytes | readonly FileLike[], options?: SlideOptions): Promise<SlideImage>;
  /**
   * Says by its content what a file states of the patches of a slide: "annotations", "mask" or
   * "places", or "" for another file, such as a bag, a picture or a model card. Only with the slide
   * a picture of its shape with few colours is a mask.
   */
  recognise(file: Bytes, slide?: SlideImage): Promise<SlideFileKind>;
  /** Draws a bag, with an explanation of it unless `report` is null. */
  draw(bag: Bag, report: Report | null, options?: DrawOptions): Promise<Picture>;
  /**
   * Returns a GeoJSON file for QuPath: the place of each explained instance as a polygon with its
   * scores. The bag needs `boxes`.
   */
  geojson(bag: Bag, report: Report, options?: GeoJSONOptions): Promise<Uint8Array<ArrayBuffer>>;
  /**
   * Returns a DICOM file about the pictures of the bag, which refers to them. The bag must be of
   * DICOM files that state their UIDs. The report's scores of the first method are written.
   */
  dicom(bag: Bag, report: Report, options?: DICOMOptions): Promise<Uint8Array<ArrayBuffer>>;
  /**
   * Returns a heat map of the slide as a pyramid of tiles, as the command writes it with
   * `explain --map`: a pixel covers a power of two of the slide's pixels, and what no patch covers is
   * transparent. The bag needs `boxes`; a map of more than 2^28 pixels is refused.
   */
  heatmap(bag: Bag, report: Report, options?: HeatmapOptions): Promise<Uint8Array<ArrayBuffer>>;
  /**
   * Returns a ZIP archive with the patches that have the highest and the lowest scores of each class,
   * as the command writes them with `explain --tiles-out`: a PNG of each at full resolution,
   * tiles.csv with scores and places, and those of a class together as classN.png.
   */
  tiles(bag: Bag, report: Report, options?: TilesOptions): Promise<Uint8Array<ArrayBuffer>>;
  /**
   * Fetches the decoder of JPEG 2000, 0.1 MB, which is otherwise fetched when a file needs it. A page
   * calls it before it forbids itself connections. Rejects if the decoder cannot be loaded.
   */
  fetchDecoder(): Promise<void>;
  /** Ends the worker. Pending calls are rejected as cancelled. */
  close(): void;
}
