import type { ErrorKind } from "./types.js";

/** Every failure of this package: `kind` to decide by, `message` to show, `details` to point at the place. */
export class BagscopeError extends Error {
  readonly kind: ErrorKind;
  readonly details: Readonly<Record<string, string | number | boolean>>;

  constructor(kind: ErrorKind, message: string, details: Record<string, string | number | boolean> = {}) {
    super(message);
    this.name = "BagscopeError";
    this.kind = kind;
    this.details = details;
  }
}
