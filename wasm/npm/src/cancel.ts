import { BagscopeError } from "./error.js";

/**
 * Returns the error of an aborted call. It has the name that fetch and Node give it, and the signal's
 * reason as its cause.
 */
export function aborted({ reason }: AbortSignal): BagscopeError {
  const error = new BagscopeError("cancelled", "the request was cancelled", {}, { cause: reason });
  error.name = "AbortError";
  return error;
}

export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw aborted(signal);
}

/**
 * Returns what `open` opens. An abort rejects at once; the program cannot stop opening, so what it
 * opens afterwards is closed.
 */
export function unlessAborted<T extends { close(): void }>(
  signal: AbortSignal | undefined,
  open: () => Promise<T>,
): Promise<T> {
  if (!signal) return open();
  return new Promise((resolve, reject) => {
    throwIfAborted(signal);
    const abort = () => reject(aborted(signal));
    signal.addEventListener("abort", abort);
    open()
      .then((opened) => (signal.aborted ? opened.close() : resolve(opened)), reject)
      .finally(() => signal.removeEventListener("abort", abort));
  });
}
