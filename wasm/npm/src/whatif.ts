/** Converts what-ifs between the public types and those of the wire. */

import type { Answer } from "./connection.js";
import { BagscopeError } from "./error.js";
import type { Bodies } from "./message.js";
import { fromSeed, toSeed } from "./report.js";
import type {
  Answered,
  AskOptions,
  CheckOptions,
  Checks,
  Curves,
  CurvesOptions,
  Groups,
  InsideMap,
  InsideOptions,
  Pairs,
  PairsOptions,
  SetCurves,
  Sets,
  SetsOptions,
  Turn,
  WhatIfOptions,
} from "./types.js";

/** The part of a request that all what-ifs share. `subject` names the model, the bag and helpers. */
export type Subject = Pick<Bodies["sets"]["ask"], "model" | "bag" | "helpers" | "eager">;

export function toSets(subject: Subject, o: SetsOptions): Bodies["sets"] {
  const { kind = null, level = null, several = null, curves = null } = o;
  return { ask: toAsk(subject, o), options: { kind, level, several, curves } };
}

export function toCurves(subject: Subject, o: CurvesOptions): Bodies["curves"] {
  return { ask: toAsk(subject, o), scores: o.scores ? Float64Array.from(o.scores) : null };
}

export function toPairs(subject: Subject, o: PairsOptions): Bodies["pairs"] {
  const { interaction = null, among = null, contexts = null } = o;
  return { ask: toAsk(subject, o), options: { interaction, among, contexts } };
}

export function toTurn(subject: Subject, o: WhatIfOptions): Bodies["turn"] {
  const { level = null, moves = null, most = null } = o;
  return {
    ask: toAsk(subject, o),
    members: o.members ? [...o.members] : null,
    options: { level, moves, most },
  };
}

export function toInside(
  subject: Subject,
  o: InsideOptions & { instance: number },
): Bodies["inside"] {
  const { instance, cell = null, hidden = null, samples = null, fixed = null } = o;
  return { ask: toAsk(subject, o), options: { instance, cell, hidden, samples, fixed } };
}

/** `from` is the request that opened the model. */
export function toCheck(
  subject: Subject,
  o: CheckOptions & { from: Bodies["openModel"] },
): Bodies["check"] {
  const { from, method = null, noise = null, marked = null } = o;
  return { ask: toAsk(subject, o), from, options: { method, noise, marked } };
}

export function toGroups(subject: Subject, o: AskOptions): Bodies["groups"] {
  return { ask: toAsk(subject, o) };
}

/** Lists are copied: the request may be sent after the caller has changed them. */
function toAsk(subject: Subject, o: AskOptions): Bodies["sets"]["ask"] {
  return {
    ...subject,
    without: [...(o.without ?? [])],
    class: o.class ?? null,
    output: o.output ?? "",
    seed: toSeed(o.seed ?? 0),
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

export function fromSets({ answered, ...rest }: Answer<"sets">): Sets {
  const list = (found: (typeof rest)["sufficient"]) =>
    found && { ...found, sets: found.sets.map((s) => ({ ...s, values: [...s.values] })) };
  return {
    ...fromAnswered(answered),
    ...rest,
    sufficient: list(rest.sufficient),
    necessary: list(rest.necessary),
    curves: rest.curves && points(rest.curves),
  };
}

export function fromCurves({ answered, setCurves }: Answer<"curves">): Curves {
  return { ...fromAnswered(answered), ...points(setCurves) };
}

export function fromPairs({ answered, interaction, alone, ...rest }: Answer<"pairs">): Pairs {
  return {
    ...fromAnswered(answered),
    ...rest,
    pairs: rest.pairs.map((p) => ({ ...p, relation: p.relation as Pairs["pairs"][0]["relation"] })),
    interaction: interaction as Pairs["interaction"],
    alone: [...alone],
  };
}

export function fromTurn({ answered, steps, fewest, ...rest }: Answer<"turn">): Turn {
  return {
    ...fromAnswered(answered),
    ...rest,
    steps: steps.map((s) => ({ ...s, values: [...s.values] })),
    fewest: fewest && { ...fewest, values: [...fewest.values] },
  };
}

export function fromInside({ answered, stderr, ...rest }: Answer<"inside">): InsideMap {
  return {
    ...fromAnswered(answered),
    ...rest,
    hidden: rest.hidden as InsideMap["hidden"],
    scores: [...rest.scores],
    stderr: stderr.length > 0 ? [...stderr] : null,
    without: [...rest.without],
  };
}

export function fromChecks({ answered, method, ...rest }: Answer<"check">): Checks {
  return { ...fromAnswered(answered), ...rest, method: method as Checks["method"] };
}

export function fromGroups({ answered, groups }: Answer<"groups">): Groups {
  return { ...fromAnswered(answered), groups };
}

/** A point has no value in the order of a map if there is no map. */
function points({ kept, removed }: Answer<"curves">["setCurves"]): SetCurves {
  const own = (list: typeof kept) =>
    list.map((p) => ({ ...p, map: Number.isNaN(p.map) ? null : p.map }));
  return { kept: own(kept), removed: own(removed) };
}

function fromAnswered(a: Answer<"sets">["answered"]): Answered {
  return {
    ...a,
    prediction: [...a.prediction],
    output: a.output as Answered["output"],
    seed: fromSeed(a.seed),
  };
}
