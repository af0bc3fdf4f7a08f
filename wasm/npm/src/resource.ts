import {
  type Answer,
  type Answers,
  type Connection,
  type RequestOptions,
  StaleError,
} from "./connection.js";
import { BagscopeError } from "./error.js";
import type { Bodies } from "./message.js";

interface Use {
  handle: number;
  release(): void;
}

/**
 * A model, set or bag that is open in the program. After a crash of the program, a resource opens
 * itself again in the next one.
 */
export class Resource<Opened extends { handle: number } = { handle: number }> {
  private opened: { generation: number; promise: Promise<Opened>; handle?: number } | null = null;
  private closed = false;

  constructor(
    readonly connection: Connection,
    private readonly what: string,
    private readonly reopen: () => Promise<Opened>,
  ) {}

  /** The program's answer when it opened the resource. */
  open(): Promise<Opened> {
    const { generation } = this.connection;
    if (this.opened?.generation !== generation) {
      const promise = this.reopen();
      const opened: typeof this.opened = (this.opened = { generation, promise });
      promise.then(
        ({ handle }) => (opened.handle = handle),
        () => {
          if (this.opened === opened) this.opened = null;
        },
      );
    }
    return this.opened!.promise;
  }

  /** Throws if the resource is closed. */
  check(): void {
    if (this.closed) throw new BagscopeError("setting", `the ${this.what} is closed`);
  }

  /** The result of `use` if it is available at once, else null. */
  useNow(): Use | null {
    const { closed, opened, connection } = this;
    if (closed || opened?.generation !== connection.generation || opened.handle === undefined)
      return null;
    return { handle: opened.handle, release() {} };
  }

  /**
   * Returns the handle, and a function to call after its use. A closed resource is opened again for
   * resources made from it.
   */
  async use(): Promise<Use> {
    if (!this.closed) return { handle: (await this.open()).handle, release() {} };
    const { generation } = this.connection;
    const { handle } = await this.reopen();
    return { handle, release: () => this.connection.release(handle, generation) };
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    const { opened } = this;
    this.opened = null;
    opened?.promise
      .then(({ handle }) => this.connection.release(handle, opened.generation))
      .catch(() => {});
  }
}

/**
 * Sends a request about resources. If the program ends after they were opened and before the
 * request is sent, they are opened again, because handles are invalid in the next program. If all
 * are open, the request is sent before this returns.
 */
export async function ask<K extends keyof Answers>(
  kind: K,
  resources: readonly Resource[],
  body: (...handles: number[]) => Bodies[K],
  options: RequestOptions = {},
): Promise<Answer<K>> {
  const { connection } = resources[0]!;
  for (;;) {
    const { generation } = connection;
    const open = resources.map((r) => r.useNow()).filter((one) => one !== null);
    const uses =
      open.length === resources.length ? open : await Promise.all(resources.map((r) => r.use()));
    try {
      return await connection.request(kind, body(...uses.map((u) => u.handle)), {
        ...options,
        generation,
      });
    } catch (cause) {
      if (!(cause instanceof StaleError)) throw cause;
    } finally {
      for (const u of uses) u.release();
    }
  }
}
