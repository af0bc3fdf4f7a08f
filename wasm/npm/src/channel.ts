/** Connections to a running program in this thread or another. */

import type { Packet } from "./codec.js";
import { wordsOf } from "./compile.js";
import { type DecoderSource, kept } from "./decoder.js";
import type { Device } from "./device.js";
import type { Loading } from "./types.js";

export interface Channel {
  /** Sends a message; its bytes may be transferred and must not be used afterwards. */
  send(message: Packet): void;
  /** Makes a file readable for the program, or no longer. */
  keep(part: Part): void;
  /** Ends the program. */
  close(): void;
  /** Sets whether answers are pending; an idle channel does not keep a Node process alive. */
  busy?(waiting: boolean): void;
  /** Settled when all files of the program have been fetched. */
  loaded?: Promise<void>;
}

/** A file that the program reads in parts, by its number; null ends that. */
export interface Part {
  part: number;
  /** A port answers `Stretch`es of a file that another thread has. */
  file: Blob | MessagePort | null;
}

/** A part of a request; a function opens a port, which only one program can have. */
export interface FilePart {
  part: number;
  file: Blob | (() => MessagePort);
}

/** The bytes of a file that a port is asked for. It answers them in order, or an Error. */
export interface Stretch {
  at: number;
  length: number;
}

export interface ChannelEvents {
  onMessage(message: Uint8Array): void;
  /**
   * Called with the reason if the file in a message cannot be read; the program does not receive
   * the message.
   */
  onUnread(id: number, reason: string): void;
  /** Called with the reason if the program ends unexpectedly. */
  onExit(reason: string): void;
}

/** Starts a program and returns a channel to it. */
export type Starter = (events: ChannelEvents) => Promise<Channel>;

/** The message that makes a worker fetch and compile the program at a URL, before it starts. */
export interface WorkerCompile {
  compile: string;
}

/** The answer of a worker that has compiled a program, or the reason why it could not. */
export type WorkerCompiled = { compiled: WebAssembly.Module } | { compiled: null; reason: string };

/** The message of a worker that fetches the program, as it arrives. */
export interface WorkerLoading {
  loading: Loading;
}

/** The message to a worker that starts its program. */
export interface WorkerStart {
  module: WebAssembly.Module;
  /** The device for a program that supports graphics processors. */
  device?: Device | undefined;
}

/** The message of a worker after it has loaded its script. */
export interface WorkerLoaded {
  loaded: true;
}

/** The message of a worker after its program has ended. */
export interface WorkerExit {
  exit: string;
}

/**
 * The message of a worker about a file that cannot be read. All its other posts are messages of the
 * program.
 */
export interface WorkerUnread {
  unread: number;
  reason: string;
}

/** The message of a worker whose program needs the decoder of JPEG 2000; the port gets the answer. */
export interface WorkerNeed {
  need: MessagePort;
}

/** The module, or the reason why there is none. */
type WorkerDecoder = { decoder: WebAssembly.Module } | { decoder: null; reason: string };

/** Answers a worker that needs the decoder. */
export function answer({ need }: WorkerNeed, source: DecoderSource): void {
  const post = (message: WorkerDecoder) => need.postMessage(message);
  source().then(
    (decoder) => post({ decoder }),
    (cause) => post({ decoder: null, reason: wordsOf(cause) }),
  );
}

/** Returns the source of a worker, which asks the thread that started it. */
export function askingSource(
  post: (message: WorkerNeed, transfer: MessagePort[]) => void,
): DecoderSource {
  return kept(async () => {
    const { port1, port2 } = new MessageChannel();
    const answered = new Promise<WorkerDecoder>((done) => {
      port1.onmessage = ({ data }: MessageEvent<WorkerDecoder>) => done(data);
    });
    post({ need: port2 }, [port2]);
    const got = await answered;
    port1.close();
    if (!got.decoder) throw new Error(got.reason);
    return got.decoder;
  });
}

/** Dispatches the messages of a worker. */
export function dispatch(
  data: Uint8Array | WorkerExit | WorkerUnread,
  events: ChannelEvents,
): void {
  if (data instanceof Uint8Array) events.onMessage(data);
  else if ("exit" in data) events.onExit(data.exit);
  else events.onUnread(data.unread, data.reason);
}

/** What of a part is transferred instead of copied. */
export function moved({ file }: Part): MessagePort[] {
  return file instanceof MessagePort ? [file] : [];
}

/** The parts of a message that are transferred instead of copied. */
export function handedOver(message: Packet): ArrayBuffer[] {
  return message instanceof Blob ? [] : [message.buffer];
}
