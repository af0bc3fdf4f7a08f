/** Sends requests and receives answers over a channel, which is restarted after a crash. */

import { aborted, throwIfAborted } from "./cancel.js";
import type { Channel, FilePart, Starter } from "./channel.js";
import { type ByteArray, FieldError } from "./codec.js";
import { BagscopeError } from "./error.js";
import { type Bodies, decode, encode, type Message } from "./message.js";
import type { Answers } from "./requests.js";
import type { ErrorKind } from "./types.js";

export type { Answers };

export type Answer<K extends keyof Answers> = Bodies[Answers[K]];

/** What is done with the messages of a request before its answer, by their kind. */
export type Events = { [K in "predicted" | "planned" | "noted"]: (body: Bodies[K]) => void };

export interface RequestOptions {
  signal?: AbortSignal | undefined;
  /** Asks the program to end the request. An answer that comes nevertheless is still returned. */
  cancel?: AbortSignal | undefined;
  onProgress?: ((done: number, total: number, of: "instances" | "evaluations") => void) | undefined;
  events?: Events | undefined;
  /** Runs the tasks that the program shares. */
  share?: Share | undefined;
  /** Files that the program reads in parts until it answers. */
  parts?: readonly FilePart[];
  /** The program reads the parts after its answer, too, until `forget`. */
  lasting?: boolean;
  /**
   * The program that the handles of the request belong to. If another program runs, the request
   * fails with a StaleError.
   */
  generation?: number;
}

/** Runs tasks of one request in helpers. */
export interface Share {
  /** Resolves to the reply, or to null if the helper failed. */
  run(task: Bodies["helperTask"]): Promise<ByteArray | null>;
  cancel(ticket: number): void;
  /** Called after the answer to the request. */
  end(): void;
}

/** The handles of a request belong to a program that has ended. */
export class StaleError extends Error {}

interface Pending {
  resolve(body: unknown): void;
  reject(error: unknown): void;
  onProgress: RequestOptions["onProgress"];
  events: Events | undefined;
  share: Share | undefined;
}

/** The program's memory has 32-bit addresses, and a message is contiguous. */
const maxMessage = 2 ** 31 - 1;

export class Connection {
  /**
   * The number of programs that have ended; handles of an earlier program are invalid in the next
   * one.
   */
  generation = 0;
  private channel: Promise<Channel> | null = null;
  /** The same value, after the program has started. */
  private ready: Channel | null = null;
  private readonly pending = new Map<number, Pending>();
  private lastId = 0;
  private closed = false;

  /** `ended` is called for each program that ends unexpectedly. */
  constructor(
    private readonly start: Starter,
    private readonly ended: (reason: string) => void = () => {},
  ) {}

  /**
   * Sends a request and resolves to its answer. An abort rejects at once and stops the work within
   * 50 ms. If a program runs, the request is sent before this function returns, so that the program
   * works while the caller draws.
   */
  async request<K extends keyof Answers>(
    kind: K,
    body: Bodies[K],
    options: RequestOptions = {},
  ): Promise<Answer<K>> {
    const { signal, cancel, onProgress, events, share, parts = [], lasting, generation } = options;
    throwIfAborted(signal);
    const channel = this.ready ?? (await this.open());
    throwIfAborted(signal);
    this.throwIfClosed();
    if (generation !== undefined && generation !== this.generation) throw new StaleError();
    const id = ++this.lastId;
    const message = this.encode(kind, id, body);
    return new Promise<Answer<K>>((resolve, reject) => {
      const stop = () => channel.send(encode("cancel", ++this.lastId, { request: id }));
      const abort = () => {
        if (!this.take(id)) return;
        stop();
        end();
        reject(aborted(signal!));
      };
      const end = () => {
        share?.end();
        if (!lasting) for (const { part } of parts) channel.keep({ part, file: null });
      };
      const settled = () => {
        signal?.removeEventListener("abort", abort);
        cancel?.removeEventListener("abort", stop);
        end();
      };
      this.pending.set(id, {
        resolve: (answer) => (settled(), resolve(answer as Answer<K>)),
        reject: (error) => (settled(), reject(error)),
        onProgress,
        events,
        share,
      });
      signal?.addEventListener("abort", abort);
      cancel?.addEventListener("abort", stop);
      channel.busy?.(true);
      for (const { part, file } of parts)
        channel.keep({ part, file: typeof file === "function" ? file() : file });
      channel.send(message);
    });
  }

  /** Ends the reading of a part that lasted beyond its request. */
  forget(part: number): void {
    this.ready?.keep({ part, file: null });
  }

  /** Resolves when all files of the program have been fetched. */
  async load(): Promise<void> {
    await (
      await this.open()
    ).loaded;
  }

  /** Frees a handle of a program; it does not wait. */
  release(handle: number, generation: number): void {
    if (generation !== this.generation || this.closed) return;
    this.request("release", { handle }, { generation }).catch(() => {});
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.channel?.then((channel) => channel.close()).catch(() => {});
    this.rejectAll(new BagscopeError("cancelled", "the engine was closed"));
  }

  private encode<K extends keyof Bodies>(kind: K, id: number, body: Bodies[K]) {
    let message;
    try {
      message = encode(kind, id, body);
    } catch (cause) {
      if (cause instanceof FieldError)
        throw new BagscopeError("setting", cause.message, { setting: cause.field });
      throw cause;
    }
    const size = message instanceof Blob ? message.size : message.length;
    if (size > maxMessage)
      throw new BagscopeError(
        "limit",
        `${size} bytes are too many for the engine, which takes 2 GiB at once`,
      );
    return message;
  }

  private async open(): Promise<Channel> {
    this.throwIfClosed();
    if (!this.channel) {
      const generation = this.generation;
      const current = () => generation === this.generation;
      this.channel = this.start({
        onMessage: (bytes) => current() && this.onBytes(bytes),
        onUnread: (id, reason) =>
          current() && this.take(id)?.reject(new BagscopeError("format", reason)),
        onExit: (reason) => current() && this.onExit(reason),
      });
      this.channel.then(
        (channel) => current() && (this.ready = channel),
        () => current() && (this.channel = null),
      );
    }
    return this.channel;
  }

  private throwIfClosed(): void {
    if (this.closed) throw new BagscopeError("cancelled", "the engine is closed");
  }

  /** A program with invalid messages counts as crashed. */
  private onBytes(bytes: Uint8Array): void {
    let message;
    try {
      message = decode(bytes);
    } catch (cause) {
      return this.onExit(
        "a message of the engine cannot be decoded: " +
          `${cause instanceof Error ? cause.message : cause}`,
      );
    }
    this.onMessage(message);
  }

  private onMessage(message: Message): void {
    const asked = this.pending.get(message.id);
    if (message.kind === "progress") {
      const { completed, total, instances } = message.body;
      const of = instances ? "instances" : "evaluations";
      return this.event(message.id, () => asked?.onProgress?.(completed, total, of));
    }
    const event = asked?.events?.[message.kind as keyof Events];
    if (event) return this.event(message.id, () => event(message.body as never));
    if (message.kind === "helperTask") return void this.helperTask(message.id, message.body);
    if (message.kind === "cancelTask") return asked?.share?.cancel(message.body.ticket);
    const pending = this.take(message.id);
    if (message.kind === "failure") pending?.reject(failure(message.body));
    else pending?.resolve(message.body);
  }

  /**
   * An exception in a callback of the caller rejects its request, because nothing else can report
   * it.
   */
  private event(id: number, callback: () => void): void {
    try {
      callback();
    } catch (cause) {
      this.take(id)?.reject(cause);
      this.request("cancel", { request: id }).catch(() => {});
    }
  }

  /** Runs a task in a helper and sends the reply to the program. */
  private async helperTask(request: number, task: Bodies["helperTask"]): Promise<void> {
    const { generation } = this;
    const { ticket } = task;
    const reply = (await this.pending.get(request)?.share?.run(task)) ?? null;
    const body = { request, ticket, failed: reply === null, reply: reply ?? new Uint8Array() };
    if (this.pending.has(request)) this.request("taskResult", body, { generation }).catch(() => {});
  }

  /** Rejects all pending requests; the next request starts a new program. */
  private onExit(reason: string): void {
    const dead = this.channel;
    this.generation++;
    this.channel = this.ready = null;
    dead?.then((channel) => channel.close()).catch(() => {});
    this.rejectAll(new BagscopeError("internal", reason, { crashed: true }));
    if (!this.closed) this.ended(reason);
  }

  private rejectAll(error: BagscopeError): void {
    const all = [...this.pending.values()];
    this.pending.clear();
    for (const pending of all) pending.reject(error);
  }

  private take(id: number): Pending | undefined {
    const pending = this.pending.get(id);
    this.pending.delete(id);
    if (this.pending.size === 0)
      this.channel?.then((channel) => channel.busy?.(false)).catch(() => {});
    return pending;
  }
}

function failure({ kind, message, details }: Bodies["failure"]): BagscopeError {
  return new BagscopeError(
    kind as ErrorKind,
    message,
    Object.fromEntries(details.map(({ name, value }) => [name, value])),
  );
}
