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
