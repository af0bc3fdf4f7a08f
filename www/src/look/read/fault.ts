// What is wrong with a file, in words; the kinds are those of the engine's errors,
// and of canvases.

export type FaultKind = 'format' | 'limit' | 'memory' | 'unsupported' | 'canvas';

/**
 * A file that cannot be read: its bytes are wrong, it is too large, or it says something in a way
 * not known here.
 */
export class ReadFault extends Error {
  constructor(
    readonly kind: FaultKind,
    message: string,
  ) {
    super(message);
    this.name = 'ReadFault';
  }
}

/** A failure on its way between threads. */
export interface Failed {
  kind: FaultKind | 'internal';
  message: string;
}
