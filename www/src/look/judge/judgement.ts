// How faithful the explanations are, measured on demand: curves and figures of the report that is
// open.
import { describe, isCancelled } from '../state/problem';
import { answer, putJudged, putJudging } from '../state/answer.svelte';
import { doc } from '../state/document.svelte';
import { warn } from '../state/session.svelte';

let running: AbortController | null = null;

/** Random orders that AOPC-R compares with. */
export const ORDERS = 10;

/** Judges all explanations of the report. Another bag or report makes it moot. */
export async function judge(): Promise<void> {
  const { model, bag } = doc;
  const { report } = answer;
  running?.abort();
  if (!model || !bag || !report) return;
  const mine = (running = new AbortController());
  putJudging({ done: 0, total: 0 });
  try {
    const judged = await model.judge(bag, report, {
      metrics: ['aopc_r', 'srg', 'ndcg', 'auprc', 'r2'],
      orders: ORDERS,
      signal: mine.signal,
      onProgress: (done, total) => {
        if (running === mine) putJudging({ done, total });
      },
    });
    if (running === mine) putJudged(report, judged);
  } catch (error) {
    if (running === mine && !isCancelled(error)) warn({ ...describe(error), untilExplained: true });
  } finally {
    if (running === mine) cancelJudging();
  }
}

export function cancelJudging(): void {
  running?.abort();
  running = null;
  putJudging(null);
}

/** The standard error of AOPC-R over random orders; null for a single one. */
export const standardError = (spread: number | null) =>
  spread === null ? null : spread / Math.sqrt(ORDERS);
