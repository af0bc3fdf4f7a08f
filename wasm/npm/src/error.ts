import type { ErrorKind } from "./types.js";

/**
 * The error of all failures of this package: `kind` for programs, `message` for readers, `details`
 * for the place. If a signal aborted the call, `name` is "AbortError" and `cause` the signal's reason.
 */
export class BagscopeError extends Error {
  readonly kind: ErrorKind;
  readonly details: Readonly<Record<string, string | number | boolean>>;

  constructor(
    kind: ErrorKind,
    message: string,
    details: Record<string, string | number | boolean> = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = "BagscopeError";
    this.kind = kind;
    this.details = details;
  }
}
