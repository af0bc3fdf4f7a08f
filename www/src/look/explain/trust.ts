// How far what is drawn can be trusted: measured behind the explanation, which is shown first.
import { describe, isCancelled } from '../state/problem';
import { request } from './request';
import { answer, beginTrusting, endTrusting, putTrust } from '../state/answer.svelte';
import { loaded } from '../state/document.svelte';
import { session, warn } from '../state/session.svelte';

let running: AbortController | null = null;

/** Measures the trust of the report that is shown. Another bag or report makes it moot. */
export async function measureTrust(): Promise<void> {
  const { model, bag } = loaded;
  const { report } = answer;
  cancelTrust();
  if (!model || !bag || !report) return;
  const mine = (running = new AbortController());
  beginTrusting();
  try {
    // The report's own instances: the removed ones may have changed since.
    const kept = new Set(report.instances);
    const without = Array.from({ length: bag.instances }, (_, i) => i).filter((i) => !kept.has(i));
    const { trust } = await model.explain(bag, {
      ...request(),
      without,
      trust: true,
      signal: mine.signal,
    });
    if (running === mine) putTrust(report, trust);
  } catch (error) {
    if (running === mine && !isCancelled(error) && !session.problem)
      warn({ ...describe(error), untilExplained: true });
  } finally {
    if (running === mine) cancelTrust();
  }
}

/** Stops the measuring. */
export function cancelTrust(): void {
  running?.abort();
  running = null;
  endTrusting();
}
