// What the page asks of the worker that reads pictures.
import type { Failed } from './fault';
import type { Source } from './pixels';
import type { Stage } from './phase';

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
  /** The pixels of a picture, red, green, blue and alpha, row by row. */
  pixels(id: number): Promise<Uint8Array<ArrayBuffer>>;
  /** Answers stretches of these pixels at a port, as the engine asks for them. */
  serve(id: number, port: MessagePort): Promise<void>;
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
