/** Requests of what-ifs, and the coalitions of `score`. */

import type { Answer } from "./connection.js";
import { BagscopeError } from "./error.js";
import type { Bodies } from "./message.js";
import type { AskOptions } from "./types.js";

/** The requests that have the options of all what-ifs. */
export type WhatIf = {
  [K in keyof Bodies]: Bodies[K] extends { ask: Ask } ? K : never;
}[keyof Bodies];

type Ask = Bodies["sets"]["ask"];

/**
 * Returns what all what-ifs are asked with. `subject` names the model, the bag and helpers. Lists
 * are copied: the request may be sent after the caller has changed them.
 */
export function toAsk(
  subject: Pick<Ask, "model" | "bag" | "helpers" | "eager">,
  o: AskOptions,
): Ask {
  return {
    ...subject,
    without: [...(o.without ?? [])],
    class: o.class ?? null,
    output: o.output ?? "",
    seed: o.seed ?? 0,
    budget: o.budget ?? 0,
    watch: o.onProgress !== undefined,
  };
}

/**
 * Returns the coalitions as `scoreCoalitions` packs them: a bit for each instance, from the lowest
 * of the first byte on, and a byte begins each coalition.
 */
export function pack(
  coalitions: readonly (readonly number[])[],
  instances: number,
): Pick<Bodies["scoreCoalitions"], "count" | "coalitions"> {
  const size = Math.ceil(instances / 8);
  const bytes = new Uint8Array(size * coalitions.length);
  for (const [n, members] of coalitions.entries())
    for (const i of members) {
      if (!Number.isInteger(i) || i < 0 || i >= instances)
        throw new BagscopeError(
          "setting",
          `the bag has no instance ${i}, only 0 to ${instances - 1}`,
          { setting: "coalitions" },
        );
      bytes[n * size + (i >> 3)]! |= 1 << (i & 7);
    }
  return { count: coalitions.length, coalitions: bytes };
}

/** Returns the scores of each coalition. */
export function fromScores({ scores }: Answer<"scoreCoalitions">, count: number): number[][] {
  const classes = scores.length / count;
  return Array.from({ length: count }, (_, n) => [
    ...scores.subarray(n * classes, (n + 1) * classes),
  ]);
}
