// Pixels of a TIFF file: the engine decodes them, and the worker that reads pictures asks for them
// through a port.
import { ReadFault, type Failed } from './fault';
import type { Size } from './size';

/** The levels of a file, the largest first, and the port at which their pixels are asked for. */
export interface Source {
  levels: readonly Size[];
  port: MessagePort;
}

/** A rectangle of a level. */
export interface Wanted extends Size {
  id: number;
  level: number;
  x: number;
  y: number;
}
/** The end of the port's use. */
export const CLOSED = 'closed';
/** Four bytes for each pixel, or why there are none. */
export interface Given {
  id: number;
  rgba?: Uint8ClampedArray<ArrayBuffer>;
  failed?: Failed;
}

interface Waiting {
  done(pixels: ImageData): void;
  failed(cause: Error): void;
  width: number;
}

/** The worker's end of a port. */
export class Pixels {
  #waiting = new Map<number, Waiting>();
  #count = 0;

  constructor(private readonly port: MessagePort) {
    port.onmessage = ({ data }: MessageEvent<Given>) => {
      const { done, failed, width } = this.#waiting.get(data.id)!;
      this.#waiting.delete(data.id);
      if (data.rgba) return done(new ImageData(data.rgba, width));
      const { kind, message } = data.failed!;
      failed(kind === 'internal' ? new Error(message) : new ReadFault(kind, message));
    };
  }

  /** Opaque pixels of a rectangle that lies within a level. */
  region(level: number, x: number, y: number, width: number, height: number): Promise<ImageData> {
    return new Promise((done, failed) => {
      const id = ++this.#count;
      this.#waiting.set(id, { done, failed, width });
      this.port.postMessage({ id, level, x, y, width, height } satisfies Wanted);
    });
  }

  /** Has the file closed. */
  close(): void {
    this.port.postMessage(CLOSED);
    this.port.close();
  }
}
