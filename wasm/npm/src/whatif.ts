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
  DecisiveSet,
  Groups,
  InsideMap,
  InsideOptions,
  Pairs,
  PairsOptions,
  Sets,
  SetsOptions,
  Turn,
  WhatIfOptions,
} from "./types.js";

/** The part of a request that all what-ifs share. `subject` names the model, the bag and helpers. */
export type Subject = Pick<Bodies["sets"]["ask"], "model" | "bag" | "helpers" | "eager">;

export function toSets(subject: Subject, o: SetsOptions): Bodies["sets"] {
  return {
    ask: toAsk(subject, o),
    kind: o.kind ?? "",
    level: o.level ?? null,
    several: toCount("several", o.several),
  };
}

export function toCurves(subject: Subject, o: CurvesOptions): Bodies["curves"] {
  return { ask: toAsk(subject, o), scores: o.scores ? Float64Array.from(o.scores) : null };
}

export function toPairs(subject: Subject, o: PairsOptions): Bodies["pairs"] {
  return {
    ask: toAsk(subject, o),
    interaction: o.interaction ?? "",
    among: toCount("among", o.among),
    contexts: toCount("contexts", o.contexts),
  };
}

export function toTurn(subject: Subject, o: WhatIfOptions): Bodies["turn"] {
  return {
    ask: toAsk(subject, o),
    level: o.level ?? null,
    members: o.members ? [...o.members] : null,
    moves: o.moves ?? "",
    most: toCount("most", o.most),
  };
}

export function toInside(
  subject: Subject,
  o: InsideOptions & { instance: number },
): Bodies["inside"] {
  return {
    ask: toAsk(subject, o),
    instance: o.instance,
    cell: toCount("cell", o.cell),
    hidden: o.hidden ?? "",
    samples: toCount("samples", o.samples),
    fixed: o.fixed ?? false,
  };
}

/** `from` is the request that opened the model. */
export function toCheck(
  subject: Subject,
  o: CheckOptions & { from: Bodies["openModel"] },
): Bodies["check"] {
  return {
    ask: toAsk(subject, o),
    from: o.from,
    method: o.method ?? "",
    noise: toShare("noise", o.noise),
    marked: toShare("marked", o.marked),
  };
}

export function toGroups(subject: Subject, o: AskOptions): Bodies["groups"] {
  return { ask: toAsk(subject, o) };
}

/** On the wire, 0 means the engine's default; here it is an error. */
function toCount(setting: string, count: number | undefined): number {
  if (count === undefined) return 0;
  if (count > 0) return count;
  throw new BagscopeError("setting", `${setting} is ${count}, but must be at least 1`, {
    setting,
  });
}

/** As `toCount`, for numbers that need not be whole. */
function toShare(setting: string, share: number | undefined): number {
  if (share === undefined) return 0;
  if (share > 0) return share;
  throw new BagscopeError("setting", `${setting} is ${share}, but must be above 0`, { setting });
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

export function fromSets({ answered, kind, level, sets }: Answer<"sets">): Sets {
  return {
    ...fromAnswered(answered),
    kind: kind as Sets["kind"],
    level,
    sets: sets.map(fromSet),
  };
}

export function fromCurves({ answered, kept, removed }: Answer<"curves">): Curves {
  return { ...fromAnswered(answered), kept, removed };
}

export function fromPairs({ answered, interaction, alone, ...rest }: Answer<"pairs">): Pairs {
  return {
    ...fromAnswered(answered),
    ...rest,
    interaction: interaction as Pairs["interaction"],
    alone: [...alone],
  };
}

export function fromTurn({ answered, steps, fewest, ...rest }: Answer<"turn">): Turn {
  return {
    ...fromAnswered(answered),
    ...rest,
    steps: steps.map((s) => ({ ...s, values: [...s.values] })),
    fewest: fewest && fromSet(fewest),
  };
}

export function fromInside({ answered, ...rest }: Answer<"inside">): InsideMap {
  return {
    ...fromAnswered(answered),
    ...rest,
    hidden: rest.hidden as InsideMap["hidden"],
    scores: [...rest.scores],
    stderr: rest.stderr.length > 0 ? [...rest.stderr] : null,
    without: [...rest.without],
  };
}

export function fromChecks({ answered, method, ...rest }: Answer<"check">): Checks {
  return { ...fromAnswered(answered), ...rest, method: method as Checks["method"] };
}

export function fromGroups({ answered, groups }: Answer<"groups">): Groups {
  return { ...fromAnswered(answered), groups };
}

function fromSet(set: NonNullable<Answer<"turn">["fewest"]>): DecisiveSet {
  return { ...set, values: [...set.values] };
}

function fromAnswered(a: Answer<"sets">["answered"]): Answered {
  return {
    ...a,
    prediction: [...a.prediction],
    output: a.output as Answered["output"],
    seed: fromSeed(a.seed),
  };
}
