/** The way to a running program, in this thread or another. */

import type { ByteArray } from "./codec.js";

export interface Channel {
  /** Hands a message over; its bytes may be gone afterwards. */
  send(message: ByteArray): void;
  /** Ends the program. */
  close(): void;
  /** Tells whether answers are waited for: an idle channel does not keep a Node process alive. */
  busy?(waiting: boolean): void;
  /** Settled when everything that the program is made of has been fetched. */
  loaded?: Promise<void>;
}

export interface ChannelEvents {
  onMessage(message: Uint8Array): void;
  /** The program has ended by itself, and why. */
  onExit(reason: string): void;
}

/** Starts a program and returns the way to it. */
export type Starter = (events: ChannelEvents) => Promise<Channel>;

/** What a worker is told first. */
export interface WorkerStart {
  module: WebAssembly.Module;
}

/** What a worker says when its script has been loaded. */
export interface WorkerLoaded {
  loaded: true;
}

/** What a worker says when its program has ended; what else it says, bytes, is a message. */
export interface WorkerExit {
  exit: string;
}
