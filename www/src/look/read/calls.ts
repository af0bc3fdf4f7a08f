// What the page asks of the worker that reads pictures.
import type { Survey } from './cut';
import type { FaultKind } from './fault';
import type { Size } from './size';
import type { Stage } from '../state/phase';

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Calls {
  /** The sides of a picture at full resolution, before it is decoded; null if unknown. */
  sides(name: string, file: Blob): Promise<Size | null>;
  /** Decodes a picture and keeps it under a number. */
  picture(
    name: string,
    file: Blob,
  ): Promise<{
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
  together(files: readonly { name: string; file: Blob }[], channels: 1 | 3): Promise<Blob>;
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
export interface Failed {
  kind: FaultKind | 'internal';
  message: string;
}
/** An answer, a failure, or how far a request is. */
export interface Reply {
  id: number;
  answer?: unknown;
  failed?: Failed;
  progress?: [stage: Stage, done: number, total: number];
}
