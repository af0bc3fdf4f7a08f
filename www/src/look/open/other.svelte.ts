// The bag that the open one is compared with, explained by its likeness to the open one.
import type { Bag, Report } from 'bagscope';
import { doc } from '../state/document.svelte';
import { question } from '../state/question.svelte';

/** What a comparison is of: the open bag, what is removed from it, and what is asked. */
const subject = () =>
  [doc.bagSource?.files, doc.index, question.removed.join(), question.choice, doc.which] as const;

interface Other {
  readonly other: Bag;
  readonly report: Report;
  /** The vector of the other bag. */
  readonly target: unknown;
}

/** A comparison that has begun. */
export interface Comparing {
  readonly of: ReturnType<typeof subject>;
  readonly signal: AbortSignal;
}

class OtherState {
  kept = $state.raw<(Other & Pick<Comparing, 'of'>) | null>(null);
  /** The other bag while the page shows the likeness to it; else null. */
  shown = $derived(this.kept && doc.bag && compares(this.kept) ? this.kept : null);
}

const compares = ({ of, target }: { of: Comparing['of']; target: unknown }) =>
  target === doc.modelSource?.target && subject().every((part, i) => part === of[i]);

const state = new OtherState();
export const other: Readonly<Pick<OtherState, 'shown'>> = state;

let running: AbortController | null = null;

/** Begins a comparison and ends the one before. */
export function beginOther(): Comparing {
  dropOther();
  running = new AbortController();
  return { of: subject(), signal: running.signal };
}

/** Keeps the other bag if the page still shows what it was compared with. Returns whether it does. */
export function putOther({ of, signal }: Comparing, next: Other): boolean {
  if (signal.aborted || !compares({ of, ...next })) return false;
  state.kept = { of, ...next };
  return true;
}

/** Ends the comparison and closes the other bag. */
export function dropOther(): void {
  running?.abort();
  state.kept?.other.close();
  [running, state.kept] = [null, null];
}
