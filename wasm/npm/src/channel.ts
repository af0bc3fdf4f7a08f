/** The way to a running program, in this thread or another. */

import type { Packet } from "./codec.js";

export interface Channel {
  /** Hands a message over; its bytes may be gone afterwards. */
  send(message: Packet): void;
  /** Ends the program. */
  close(): void;
  /** Tells whether answers are waited for: an idle channel does not keep a Node process alive. */
  busy?(waiting: boolean): void;
  /** Settled when everything that the program is made of has been fetched. */
  loaded?: Promise<void>;
}

export interface ChannelEvents {
  onMessage(message: Uint8Array): void;
  /** A message with a file in it could not be read, and why; the program knows nothing of it. */
  onUnread(id: number, reason: string): void;
  /** The program has ended by itself, and why. */
  onExit(reason: string): void;
}

/** Starts a program and returns the way to it. */
export type Starter = (events: ChannelEvents) => Promise<Channel>;

/** What a worker is told first. */
export interface WorkerStart {
  module: WebAssembly.Module;
  /** What the program is told of graphics processors, if it knows any. */
  device?: Device | undefined;
}

/** Whether a graphics processor computes all it can, or what pays. */
export type Device = "gpu" | "auto";

/** What a worker says when its script has been loaded. */
export interface WorkerLoaded {
  loaded: true;
}

/** What a worker says when its program has ended. */
export interface WorkerExit {
  exit: string;
}

/** What a worker says of a message that could not be read; every other thing it says is a message. */
export interface WorkerUnread {
  unread: number;
  reason: string;
}

/** Hands on what a worker says. */
export function hear(data: Uint8Array | WorkerExit | WorkerUnread, events: ChannelEvents): void {
  if (data instanceof Uint8Array) events.onMessage(data);
  else if ("exit" in data) events.onExit(data.exit);
  else events.onUnread(data.unread, data.reason);
}

/** What of a message is handed over rather than copied. */
export function handedOver(message: Packet): ArrayBuffer[] {
  return message instanceof Blob ? [] : [message.buffer];
}
