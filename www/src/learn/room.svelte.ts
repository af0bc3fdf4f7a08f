// The article for a room: `?present` shows one figure a screen, and `?ask` hides scores until
// somebody shows them.
import { order, type Part } from './skeleton';

/** The parts without a figure of their own. */
const WITHOUT: readonly Part[] = ['head', 'bar', 'own', 'address', 'room'];

class Room {
  /** The part that is shown alone; null where the whole article is. */
  part = $state<Part | null>(null);
  /** Whether scores wait for somebody who shows them. */
  asks = $state(false);
  /** Whether the scores are hidden now. */
  hides = $state(false);

  parts = $state<readonly Part[]>([]);
  at = $derived(this.part ? this.parts.indexOf(this.part) : -1);

  /** Takes over what the address asks for. */
  begin(query: string): void {
    const given = new URLSearchParams(query);
    this.parts = order.filter(
      (part) => !WITHOUT.includes(part) && (!['slide', 'series'].includes(part) || given.has(part)),
    );
    this.asks = this.hides = given.has('ask');
    if (given.has('present')) this.part = this.parts[0]!;
  }

  /** Shows the figure that is so many further on; its scores are hidden again. */
  move(by: number): void {
    const to = this.parts[this.at + by];
    if (!this.part || !to) return;
    this.part = to;
    this.hides = this.asks;
  }
}

export const room = new Room();
