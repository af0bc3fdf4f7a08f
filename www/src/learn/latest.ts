/**
 * Runs one piece of work at a time: a newer one stops the older, whose answer is then of no interest. Failures of the
 * newest are told to `failed`.
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
