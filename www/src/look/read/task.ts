// A piece of work of the reader: it says how far it is, and ends early if nobody waits for it any
// more.
import type { Stage } from './phase';

/**
 * Milliseconds that the worker computes before it looks at its messages, among them a cancellation.
 */
const SPELL = 40;

export class Cancelled extends Error {}

export class Task {
  cancelled = false;
  #last = performance.now();

  /** `report` is called with the stage, what is done and the total, 0 if that is not known. */
  constructor(readonly report: (stage: Stage, done: number, total: number) => void) {}

  /**
   * Reports progress and, now and then, lets messages in. Throws Cancelled if the work was
   * cancelled.
   */
  async at(stage: Stage, done: number, total: number): Promise<void> {
    if (performance.now() - this.#last >= SPELL) {
      this.report(stage, done, total);
      await new Promise((next) => setTimeout(next));
      this.#last = performance.now();
    }
    if (this.cancelled) throw new Cancelled();
  }
}
