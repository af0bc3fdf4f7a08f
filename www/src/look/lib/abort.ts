/**
 * Returns the result of work that cannot be stopped, or rejects with the signal's reason as soon as
 * the signal is aborted. A result after that goes to `discard`, which must free it.
 */
export async function unlessAborted<T>(
  work: Promise<T>,
  signal: AbortSignal,
  discard: (result: T) => void,
): Promise<T> {
  let abort = () => {};
  const aborted = new Promise<never>((_, fail) => {
    abort = () => fail(signal.reason);
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
  });
  try {
    return await Promise.race([work, aborted]);
  } catch (error) {
    if (signal.aborted) void work.then(discard, () => {});
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
