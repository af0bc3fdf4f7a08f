// What the parts of the page's state are made of.
import type { Component } from 'svelte';
import type {
  BagSet,
  FileLike,
  OpenOptions,
  PatchOptions,
  PictureCut,
  PixelFile,
  Prediction,
  ReadOptions,
  SlideFileKind,
  SlideImage,
} from 'bagscope';
import type { Opened } from '../place/tiles';

/** What went wrong, in words, with what the user still has. */
export interface Problem {
  readonly title: string;
  readonly text: string;
  /** Offers to try again. */
  readonly retry?: boolean;
  /** The next explanation makes it moot. */
  readonly untilExplained?: boolean;
  /** A bag does not fit the open model, or cannot be read: either can be chosen anew. */
  readonly unfit?: boolean;
  /** What the files can be opened with instead. */
  readonly choices?: Choices;
  /** A table whose columns may hold something else, and the bag to show of it. */
  readonly table?: { readonly source: BagSource; readonly index: number };
  /** Nothing is wrong: the user has to choose. */
  readonly asks?: boolean;
}

/** An array of a file that holds several. */
export interface NamedShape {
  readonly name: string;
  readonly shape: readonly number[];
}

/** Ways to open files that were refused, under a title. */
export interface Choices {
  readonly title: string;
  readonly items: readonly {
    readonly label: string;
    readonly about: string;
    /** What is opened: bags, or a model. */
    readonly source: BagSource | null;
    readonly model?: ModelSource | ModelFile;
    /** The bag to show, of these bags. */
    readonly index: number;
    /** What is done instead of opening a source. */
    readonly act?: () => Promise<void>;
  }[];
}

/** A model as the user gave it, kept to be read again with another card. */
export interface ModelSource {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly card?: string;
  /** The card as it was given, if `card` says more. */
  readonly ownCard?: string;
  /** The files dropped together. The model may keep tensors in some of them. */
  readonly files?: readonly File[];
  /** The files that it does need, by path below its folder: tensors, or a model before it. */
  readonly external?: Readonly<Record<string, File>>;
  /** What the vector that the model returns is compared with. */
  readonly target?: OpenOptions['target'];
  /** Further models that take the same bags, such as folds: all are one. */
  readonly folds?: readonly ModelSource[];
}

/** A model that is not read yet. */
export interface ModelFile extends Omit<ModelSource, 'bytes' | 'folds'> {
  readonly file: File;
  readonly folds?: readonly ModelFile[];
}

/** The bags of a file, or the one of a slide's patches. */
export type Bags = Omit<BagSet, symbol>;

/** A bag, or several, as the user gave them, kept to be cut in another way. */
export interface BagSource {
  readonly name: string;
  readonly files: readonly FileLike[];
  readonly patch?: PatchOptions;
  /** The name of the array of features, if the file holds several. */
  readonly array?: string;
  /** What the user says of the numbers and the places of the file, which it does not state. */
  readonly stated?: Pick<ReadOptions, 'dtype' | 'coordsUnit' | 'series' | 'columns' | 'tileNames'>;
  /** The arrays that it was chosen from. */
  readonly arrays?: readonly NamedShape[];
  /** The engine reads the files as they are: nothing has to convert them. */
  readonly ready?: boolean;
  /** Annotations of a slide, which are the truth of its patches. */
  readonly annotations?: Uint8Array | File;
}

/** A grid that is shown on a picture before the picture is cut by it. */
export interface GridDraft {
  readonly size: number;
  readonly stride: number;
  readonly background: number;
  /** The brightness of its patches; null until that is measured. */
  readonly survey: PictureCut | null;
  /** What is wrong with it, in words; '' if nothing is. */
  readonly fault: string;
}

/** A bag among many, with its prediction and its strongest instances. */
export interface BatchRow {
  /** Files that the bag comes from, and its index among their bags. */
  readonly files: readonly FileLike[];
  readonly index: number;
  readonly name: string;
  readonly instances: number;
  readonly prediction: Prediction | null;
  /** The class with the highest value, -1 without a prediction. */
  readonly predicted: number;
  /** The strongest instances for that class, the first the strongest. */
  readonly top: readonly { readonly instance: number; readonly score: number }[];
  /** The method, unit and scale of its explanation; null without one. */
  readonly drawn: { readonly method: string; readonly unit: string; readonly scale: number } | null;
  /** What went wrong, in words, or ''. */
  readonly fault: string;
}

/** Where pairs are drawn over a picture. */
export interface PairLinesProps {
  width: number;
  height: number;
  /** The middle of an instance, or null if it is not drawn. */
  middle: (instance: number) => { x: number; y: number } | null;
  /** Whether pairs are arcs; else they are lines. */
  arcs?: boolean;
}

/** A file that states something of the patches of a slide. */
export interface SlideFile {
  readonly file: File;
  readonly kind: Exclude<SlideFileKind, 'configuration' | ''>;
}

/** What is not part of the first screen: one file that is fetched behind it. */
export interface Extras {
  readonly BatchPanel: Component;
  readonly CheckPanel: Component;
  readonly ClassNames: Component;
  readonly ColumnForm: Component<{ source: BagSource; index: number; passing?: boolean }>;
  readonly CompareBar: Component;
  readonly EvidenceList: Component;
  readonly ExportBar: Component;
  readonly InputForm: Component;
  readonly InsidePanel: Component;
  readonly JudgePanel: Component;
  readonly OtherMap: Component;
  readonly PatchForm: Component;
  readonly PlacePane: Component;
  readonly PreflightPanel: Component;
  readonly PrivacyPanel: Component;
  readonly SlidePane: Component;
  readonly TargetForm: Component;
  readonly TileSketch: Component<{ files: readonly FileLike[]; order: string }>;
  readonly TilingForm: Component;
  readonly VolumePane: Component;
  readonly WhatIfPanel: Component;
  readonly PairLines: Component<PairLinesProps>;
  /** Of two models among files the encoder, with its tensors and its card; null if unclear. */
  readonly pair: (
    models: readonly File[],
    files: readonly File[],
  ) => Promise<readonly File[] | null>;
  /** Opens the encoder again with a card, if the card is the configuration of an encoder. */
  readonly describeEncoder: (card: File) => Promise<boolean>;
  /** Opens the encoder of the patches of slides. */
  readonly useEncoder: (files: readonly File[]) => Promise<boolean>;
  /** The files among others that state something of the patches of a slide, by the engine. */
  readonly slideFiles: (files: readonly File[]) => Promise<SlideFile[]>;
  /** Applies such files to the open slide. */
  readonly applySlideFiles: (files: readonly SlideFile[]) => Promise<void>;
  /** The open data files with their SHA-256. */
  readonly dataNamed: () => Promise<{ name: string; sha256: string | null }[]>;
}

/** Files as they were given, and as the engine reads them. */
export interface Prepared {
  /** As they were given. */
  given: readonly FileLike[];
  /** For the engine, with how a picture is cut if somebody says so. */
  files: readonly (FileLike | PixelFile)[];
  patch: PatchOptions | undefined;
  /** The picture that patches are cut from, or one that features lie in. */
  picture: Opened | null;
  /** The slide that features lie in, or one that is open alone. */
  slide: SlideImage | null;
  notes: string[];
}
