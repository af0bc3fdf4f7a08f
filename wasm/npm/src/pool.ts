/**
 * Helpers of an engine: programs of the same kind, each in its own worker, that compute parts of an
 * explanation.
 */

import type { Starter } from "./channel.js";
import { type Answer, Connection, type Share } from "./connection.js";
import { BagscopeError } from "./error.js";
import { ask, Resource } from "./resource.js";

/**
 * The default maximum number of programs for an explanation. More programs gain little, and each
 * needs memory.
 */
const usual = 4;

export interface PoolOptions {
  /**
   * Number of programs, including the engine's own; with "auto", the engine's own does small work
   * alone.
   */
  workers: number | "auto";
  /** Number of cores of the machine. */
  cores: number;
  /** True fetches the helpers' scripts with the engine's own, so that no request follows. */
  early: boolean;
  onWorkerLost?: ((reason: string) => void) | undefined;
}

/** Opens a model in a program. */
export type Opener = (connection: Connection) => Promise<Answer<"openModel">>;

export class Pool {
  /** Maximum number of helpers. Each starts at its first task. */
  readonly helpers: number;
  /** Whether small work is shared too. */
  readonly eager: boolean;
  private readonly connections: Connection[] = [];
  private readonly onWorkerLost: PoolOptions["onWorkerLost"];

  constructor(
    private readonly start: Starter,
    { workers, cores, onWorkerLost }: PoolOptions,
  ) {
    if (workers !== "auto" && !(Number.isInteger(workers) && workers >= 1 && workers <= 64))
      throw new BagscopeError(
        "setting",
        `workers is ${workers}, and must be "auto" or a whole number from 1 to 64`,
      );
    this.eager = workers !== "auto";
    this.helpers = (workers === "auto" ? Math.min(cores, usual) : workers) - 1;
    this.onWorkerLost = onWorkerLost;
  }

  /**
   * Returns the runner of one request's tasks. `models` holds the models that each helper has
   * opened.
   */
  share(models: Map<Connection, Resource>, open: Opener): Share {
    const running = new Map<number, AbortController>();
    return {
      run: async ({ ticket, helper, task }) => {
        const controller = new AbortController();
        const { signal } = controller;
        running.set(ticket, controller);
        const connection = this.connection(helper);
        let model = models.get(connection);
        if (!model)
          models.set(
            connection,
            (model = new Resource(connection, "model", () => open(connection))),
          );
        try {
          return (await ask("runTask", [model], (handle) => ({ model: handle, task }), { signal }))
            .reply;
        } catch {
          return null;
        } finally {
          running.delete(ticket);
        }
      },
      cancel: (ticket) => running.get(ticket)?.abort(),
      end: () => running.forEach((controller) => controller.abort()),
    };
  }

  /** Fetches the files of the helpers; their programs start at their first task. */
  async load(): Promise<void> {
    const all = Array.from({ length: this.helpers }, (_, helper) => this.connection(helper).load());
    await Promise.allSettled(all); // a failure is reported when the helper is needed and fails again
  }

  close(): void {
    for (const connection of this.connections) connection?.close();
  }

  private connection(helper: number): Connection {
    return (this.connections[helper] ??= new Connection(this.start, this.onWorkerLost));
  }
}
