/**
 * Runs one piece of work at a time: a newer one stops the older, whose answer is then of no
 * interest. Failures of the newest are told to `failed`.
 */
export function latest(
  failed: (error: unknown) => void,
): (work: (signal: AbortSignal) => Promise<void>) => Promise<void> {
  let current: AbortController | null = null;
  return async (work) => {
    current?.abort();
    const { signal } = (current = new AbortController());
    try {
      await work(signal);
    } catch (error) {
      if (!signal.aborted) failed(error);
    }
  };
}

/**
 * Runs one piece of work at a time, each to its end, and then only the newest of those that were
 * asked for meanwhile: for short work that is asked for faster than it is done, and that would
 * never end if it were stopped each time.
 */
export function newest(
  failed: (error: unknown) => void,
): (work: () => Promise<void>) => Promise<void> {
  let running = false;
  let next: (() => Promise<void>) | null = null;
  return async (work) => {
    next = work;
    if (running) return;
    running = true;
    while (next) {
      const now: () => Promise<void> = next;
      next = null;
      await now().catch(failed);
    }
    running = false;
  };
}
