import type { Connection } from "./connection.js";
import { BagscopeError } from "./error.js";

/**
 * Something that is open in the program: a model, a set, a bag. It knows how to open itself, and does so again when
 * the program that held it has crashed.
 */
export class Resource<Opened extends { handle: number }> {
  private opened: { generation: number; promise: Promise<Opened> } | null = null;
  private closed = false;

  constructor(
    readonly connection: Connection,
    private readonly what: string,
    private readonly reopen: () => Promise<Opened>,
  ) {}

  /** What the program said when it opened this. */
  open(): Promise<Opened> {
    const { generation } = this.connection;
    if (this.opened?.generation !== generation) {
      const promise = this.reopen();
      this.opened = { generation, promise };
      promise.catch(() => {
        if (this.opened?.promise === promise) this.opened = null;
      });
    }
    return this.opened!.promise;
  }

  /** The handle, opening again where needed. */
  async handle(): Promise<number> {
    if (this.closed) throw new BagscopeError("setting", `the ${this.what} is closed`);
    return (await this.open()).handle;
  }

  /** Lets `use` have the handle even when this is closed: what was made from it outlives it. */
  async lend<T>(use: (handle: number) => Promise<T>): Promise<T> {
    if (!this.closed) return use(await this.handle());
    const { handle } = await this.reopen();
    try {
      return await use(handle);
    } finally {
      this.connection.release(handle);
    }
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    const { opened } = this;
    this.opened = null;
    if (opened?.generation === this.connection.generation) {
      opened.promise.then(({ handle }) => this.connection.release(handle)).catch(() => {});
    }
  }
}

/** The handles of several resources, all of one program. */
export async function handles(...resources: Resource<{ handle: number }>[]): Promise<number[]> {
  for (;;) {
    const { connection } = resources[0]!;
    const { generation } = connection;
    const list = await Promise.all(resources.map((r) => r.handle()));
    if (connection.generation === generation) return list;
  }
}
