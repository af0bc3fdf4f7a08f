import { BagscopeError } from "./error.js";

/** The names of options by their interface, which the build reads from the types. */
declare const OPTION_NAMES: Readonly<Record<string, readonly string[]>>;

/**
 * Returns the options. Throws an error of kind "setting" for an option that the interface does not
 * have, because nothing would read it.
 */
export function known<T extends object>(type: string, options: T): T {
  if (typeof options !== "object" || options === null)
    throw new BagscopeError("setting", `the options are ${options}, and must be an object`);
  const names = OPTION_NAMES[type]!;
  for (const [name, value] of Object.entries(options))
    if (value !== undefined && !names.includes(name))
      throw new BagscopeError(
        "setting",
        `"${name}" is not an option; the options are ${names.join(", ")}`,
        { setting: name },
      );
  return options;
}
