// How faithful the explanations are, asked for on demand: curves and figures of the report that is open.
import type { Judged } from 'bagscope';
import { describe, isCancelled } from './problem';
import { studio } from './state.svelte';

let running: AbortController | null = null;

/** Random orders that AOPC-R compares with. */
export const ORDERS = 10;

/** Judges all explanations of the report. What the bag or the report changes to meanwhile makes it moot. */
export async function judge(): Promise<void> {
  const { model, bag, report } = studio;
  running?.abort();
  if (!model || !bag || !report) return;
  const mine = (running = new AbortController());
  studio.judging = { done: 0, total: 0 };
  try {
    const judged: Judged = await model.judge(bag, report, {
      metrics: ['aopc_r', 'srg', 'ndcg', 'auprc', 'r2'],
      orders: ORDERS,
      signal: mine.signal,
      onProgress: (done, total) => {
        if (running === mine) studio.judging = { done, total };
      },
    });
    if (running === mine && studio.report === report) studio.judged = { judged, report };
  } catch (error) {
    if (running === mine && !isCancelled(error)) studio.problem = { ...describe(error), asking: true };
  } finally {
    if (running === mine) studio.judging = running = null;
  }
}

export function cancelJudging(): void {
  running?.abort();
  studio.judging = running = null;
}

/** The standard error of AOPC-R over random orders; null for a single one. */
export const standardError = (spread: number | null) => (spread === null ? null : spread / Math.sqrt(ORDERS));
