/** The settings in the attributes. An invalid attribute is an error and is never ignored. */

import { paletteNames } from "../colours.js";
import { BagscopeError } from "../error.js";
import { defaultMethod } from "../methods.js";
import { methodOptions } from "../options.js";
import { patchFields, readOptions, type PatchOptions, type ReadOptions } from "../readoptions.js";
import type {
  DrawOptions,
  ExplainOptions,
  MethodInfo,
  MethodName,
  OptionInfo,
  ReadOptionInfo,
  SettingsName,
} from "../types.js";

/**
 * The options of methods that are attributes, named like the flags. Coalitions are too long for an
 * attribute.
 */
const optionAttributes = methodOptions.filter(({ kind }) => kind !== "coalitions");

/** Attributes that cause a new explanation when they change. */
export const attributes: readonly string[] = [
  ...["model", "card", "bag", "base", "index", "method", "settings"],
  ...readOptions.map(({ flag }) => flag),
  ...optionAttributes.map(({ flag }) => flag),
  ...["lang", "seed", "output", "classes", "kind", "colours", "theme", "interactive", "trust"],
];

export interface Settings {
  index: number;
  /** How the file of bags is read. */
  read: ReadOptions;
  explain: ExplainOptions;
  /** Class indices, "all", or "predicted". */
  classes: readonly number[] | "all" | "predicted";
  kind: DrawOptions["kind"];
  colours: DrawOptions["colours"];
  /** Whether to measure the trust in the scores. */
  trust: boolean;
}

/** Reads the attributes of an element. */
export function readSettings(element: Element): Settings {
  const text = (name: string) => element.getAttribute(name)?.trim() || undefined;
  const fault = (name: string, wants: string): never => {
    throw new BagscopeError("setting", `the attribute ${name}="${text(name)}" ${wants}`, {
      setting: name,
    });
  };
  const number = (name: string): number | undefined => {
    const value = text(name);
    if (value === undefined) return undefined;
    return Number.isFinite(Number(value)) ? Number(value) : fault(name, "is not a number");
  };
  const whole = (name: string): number | undefined => {
    const value = number(name);
    return value === undefined || (Number.isSafeInteger(value) && value >= 0)
      ? value
      : fault(name, "is not a whole number of at least 0");
  };
  const oneOf = <T extends string>(name: string, choices: readonly T[]): T | undefined => {
    const value = text(name);
    if (value === undefined || choices.includes(value as T)) return value as T | undefined;
    return fault(name, `is not one of ${choices.join(", ")}`);
  };
  const option = ({ flag, kind, choices = [] }: OptionInfo | ReadOptionInfo) => {
    if (kind === "number") return number(flag);
    if (kind === "integer") return whole(flag);
    if (kind === "text") return text(flag);
    const words = kind === "flag" ? ["on", "off"] : choices.map(({ word }) => word);
    const word = oneOf(flag, words);
    if (kind !== "flag") return word;
    return element.hasAttribute(flag) ? word !== "off" : undefined;
  };
  const list = text("classes") ?? "all";
  const classes =
    list === "all" || list === "predicted"
      ? list
      : list
          .split(/[\s,]+/)
          .map((c) =>
            /^\d+$/.test(c) ? Number(c) : fault("classes", "is not a list of class numbers"),
          );
  const explain: ExplainOptions = {
    method: text("method") as MethodName | undefined,
    settings: text("settings") as SettingsName | undefined,
    ...Object.fromEntries(optionAttributes.map((info) => [info.name, option(info)])),
    seed: whole("seed") ?? 0,
    output: oneOf("output", ["prob", "logit"]),
  };
  return {
    index: whole("index") ?? 0,
    read: reading(option),
    explain,
    classes,
    kind: oneOf("kind", ["strip", "overlay", "map", "bars"]),
    colours: oneOf("colours", paletteNames),
    trust: oneOf("trust", ["on", "off"]) !== "off",
  };
}

/**
 * Returns options of an explanation without those that its method does not take. The attributes of
 * an element remain when a reader selects another method.
 */
export function usedOptions(
  explain: ExplainOptions,
  methods: readonly MethodInfo[],
): ExplainOptions {
  const { method = defaultMethod } = explain;
  const options = methods.find(({ name }) => name === method)?.options;
  if (!options) return explain;
  const dropped = new Set(
    optionAttributes.map(({ name }) => name).filter((n) => !options.includes(n)),
  );
  return Object.fromEntries(
    Object.entries(explain).filter(([name]) => !dropped.has(name as never)),
  );
}

/** Returns the options of reading that have an attribute. `patch` is absent if none is of patches. */
function reading(option: (info: ReadOptionInfo) => unknown): ReadOptions {
  const own: Record<string, unknown> = {};
  const patch: PatchOptions = {};
  for (const info of readOptions) {
    const value = option(info);
    if (value === undefined) continue;
    const field = patchFields[info.flag];
    if (field) patch[field] = value as number;
    else own[info.name] = value;
  }
  return Object.keys(patch).length > 0 ? { ...own, patch } : own;
}
