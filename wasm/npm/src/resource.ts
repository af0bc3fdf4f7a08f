import {
  type Answer,
  type Answers,
  type Connection,
  type RequestOptions,
  StaleError,
} from "./connection.js";
import { BagscopeError } from "./error.js";
import type { Bodies } from "./message.js";

interface Lent {
  handle: number;
  giveBack(): void;
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

  /** The result of `borrow` if it is available at once, else null. */
  lent(): Lent | null {
    const { closed, opened, connection } = this;
    if (closed || opened?.generation !== connection.generation || opened.handle === undefined)
      return null;
    return { handle: opened.handle, giveBack() {} };
  }

  /**
   * Returns the handle and a function to call after use. A closed resource is opened again for
   * resources made from it.
   */
  async borrow(): Promise<Lent> {
    if (!this.closed) return { handle: (await this.open()).handle, giveBack() {} };
    const { generation } = this.connection;
    const { handle } = await this.reopen();
    return { handle, giveBack: () => this.connection.release(handle, generation) };
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
    const here = resources.map((r) => r.lent()).filter((one) => one !== null);
    const lent =
      here.length === resources.length ? here : await Promise.all(resources.map((r) => r.borrow()));
    try {
      return await connection.request(kind, body(...lent.map((l) => l.handle)), {
        ...options,
        generation,
      });
    } catch (cause) {
      if (!(cause instanceof StaleError)) throw cause;
    } finally {
      for (const l of lent) l.giveBack();
    }
  }
}
