// How far what is drawn can be trusted: measured behind the explanation, which is shown first.
import { describe, isCancelled } from './problem';
import { request } from './explaining';
import { held, studio } from './state.svelte';

let running: AbortController | null = null;

/** Measures the trust of the report that is open. What the bag or the report changes to meanwhile makes it moot. */
export async function measureTrust(): Promise<void> {
  const { model, bag, report } = held;
  cancelTrust();
  if (!model || !bag || !report) return;
  const mine = (running = new AbortController());
  studio.trusting = true;
  try {
    // The report's own instances: what is out may have changed since.
    const kept = new Set(report.instances);
    const without = Array.from({ length: bag.instances }, (_, i) => i).filter((i) => !kept.has(i));
    const { trust } = await model.explain(bag, { ...request(), without, trust: true, signal: mine.signal });
    if (running === mine && held.report === report) held.trusted = { report, trust };
  } catch (error) {
    if (running === mine && !isCancelled(error) && !studio.problem)
      studio.problem = { ...describe(error), asking: true };
  } finally {
    if (running === mine) {
      running = null;
      studio.trusting = false;
    }
  }
}

/** Stops the measuring. */
export function cancelTrust(): void {
  running?.abort();
  running = null;
  studio.trusting = false;
}
