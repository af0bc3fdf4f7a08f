// What the page asks of the worker that reads pictures.
import type { Survey } from './cut';
import type { Failed } from './fault';
import type { Source } from './pixels';
import type { Size } from './size';
import type { Stage } from '../state/phase';

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** A picture to read: a file in a format that the browser decodes, or TIFF with its pixels. */
export interface Readable {
  name: string;
  file: Blob;
  tiff?: Source;
}

export interface Calls {
  /**
   * The sides of a picture in a format that the browser decodes, before that; null if unknown.
   */
  sides(name: string, file: Blob): Promise<Size | null>;
  /** Reads a picture and keeps it under a number. */
  picture(file: Readable): Promise<{
    id: number;
    width: number;
    height: number;
    /** Sides at full resolution, where this is a lower level of a pyramid. */
    full: { width: number; height: number };
    notes: string[];
  }>;
  /** A part of a picture, scaled to so many pixels. */
  part(
    id: number,
    x: number,
    y: number,
    width: number,
    height: number,
    toWidth: number,
    toHeight: number,
  ): Promise<ImageBitmap>;
  /** How bright the patches of a grid are. */
  survey(id: number, size: number, stride: number): Promise<Survey>;
  /** A bag of the patches that are darker than the background; 0 keeps all. */
  cut(
    id: number,
    size: number,
    stride: number,
    background: number,
    channels: 1 | 3,
  ): Promise<{ bag: Blob; count: number }>;
  /** A bag of whole pictures. */
  together(files: readonly Readable[], channels: 1 | 3): Promise<Blob>;
  /** Puts patches (instance, channel, row, column) of values 0..255 together at their places. */
  compose(
    values: Float32Array,
    channels: number,
    width: number,
    height: number,
    boxes: readonly Box[],
    right: number,
    bottom: number,
  ): Promise<{
    id: number;
    width: number;
    height: number;
    full: { width: number; height: number };
  }>;
  /** SHA-256 of a file, in hexadecimal digits. */
  hash(file: Blob): Promise<string>;
  close(id: number): Promise<void>;
}

export interface Request {
  id: number;
  call: keyof Calls;
  args: unknown[];
}
/** Ends a request early; it has no answer then. */
export interface Cancel {
  cancel: number;
}
/** An answer, a failure, or how far a request is. */
export interface Reply {
  id: number;
  answer?: unknown;
  failed?: Failed;
  progress?: [stage: Stage, done: number, total: number];
}
