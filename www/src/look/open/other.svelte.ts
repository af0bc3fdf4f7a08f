// The bag that the open one is compared with, explained by its likeness to the open one.
import type { Bag, Report } from 'bagscope';
import { doc } from '../state/document.svelte';
import type { ModelSource } from '../state/types';

interface Other {
  /** The vector of the other bag, and the open bag, which it was compared with. */
  readonly target: ModelSource['target'];
  readonly bag: Bag;
  readonly other: Bag;
  readonly report: Report;
}

class OtherState {
  kept = $state.raw<Other | null>(null);
  /** The other bag while the page shows the likeness to it; else null. */
  shown = $derived(
    this.kept?.bag === doc.bag && this.kept?.target === doc.modelSource?.target ? this.kept : null,
  );
}

const state = new OtherState();
export const other: Readonly<Pick<OtherState, 'shown'>> = state;

/** Keeps another bag; the one before is closed. */
export function putOther(next: Other): void {
  state.kept?.other.close();
  state.kept = next;
}
