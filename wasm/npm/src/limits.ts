import { BagscopeError } from "./error.js";

/**
 * Returns the limits that are set. A value that is not a count is an error, because the engine
 * would use the default.
 */
export function given<T extends object>(limits: T): { [K in keyof T]?: number } {
  const set = Object.entries(limits).filter(([, value]) => value !== undefined);
  for (const [name, value] of set)
    if (!Number.isSafeInteger(value) || value < 1)
      throw new BagscopeError(
        "setting",
        `the limit "${name}" is ${value}, but must be a whole number of at least 1`,
      );
  return Object.fromEntries(set) as { [K in keyof T]?: number };
}
