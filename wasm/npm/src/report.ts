/** Explanations and drawings between the public types and those of the wire. */

import type { Answer } from "./connection.js";
import { BagscopeError } from "./error.js";
import { defaultMethod } from "./methods.js";
import type { Bodies } from "./message.js";
import { methodOptions } from "./options.js";
import type {
  Bag,
  DrawOptions,
  ExplainOptions,
  Explanation,
  GeoJSONOptions,
  MethodName,
  Report,
  Trust,
} from "./types.js";

export function toExplain(
  model: number,
  bag: number,
  o: ExplainOptions,
): Omit<Bodies["explain"], "helpers" | "eager"> {
  const { method = defaultMethod } = o;
  const methods = typeof method === "string" ? [method] : [...method];
  return {
    model,
    bag,
    methods,
    without: [...(o.without ?? [])],
    classes: o.classes ? [...o.classes] : null,
    settings: o.settings ?? "",
    skipMissing: o.skipMissing ?? null,
    watch: o.onProgress !== undefined,
    predict: o.onPrediction !== undefined,
    plan: o.onPlan !== undefined,
    trace: o.trace ?? false,
    trust: o.trust ?? false,
    output: o.output ?? "",
    seed: toSeed(o.seed ?? 0),
    budget: o.budget ?? 0,
    memory: o.memory ?? 0,
    options: toOptions(o),
    coalitions: o.coalitions ? [...o.coalitions] : null,
  };
}

/** The options of methods, but for coalitions, which have a field of their own. */
function toOptions(o: ExplainOptions): Bodies["explain"]["options"] {
  const names = methodOptions.filter(({ kind }) => kind !== "coalitions").map(({ name }) => name);
  return Object.fromEntries(
    names.map((name) => [name, o[name] ?? null]),
  ) as unknown as Bodies["explain"]["options"];
}

export function toSeed(seed: number | bigint): bigint {
  if (typeof seed === "number" && !Number.isSafeInteger(seed))
    throw new BagscopeError("setting", `the seed ${seed} is no whole number within ±(2^53 - 1)`, {
      setting: "seed",
    });
  const big = BigInt(seed);
  if (big < 0n || big >= 1n << 64n)
    throw new BagscopeError("setting", `the seed ${seed} is not between 0 and 2^64 - 1`, {
      setting: "seed",
    });
  return big;
}

/** The seed as it is usually written: a number where one holds it exactly. */
export function fromSeed(seed: bigint): number | bigint {
  return seed <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(seed) : seed;
}

export function fromExplained(answer: Answer<"explain">): Report {
  const { attributions: of, scales, instances, coalitions } = answer;
  return {
    ...of,
    prediction: [...of.prediction],
    output: of.output as Report["output"],
    explanations: of.explanations.map((e, i): Explanation => ({
      ...e,
      scale: scales[i]!,
      method: e.method as MethodName,
      scores: [...e.scores],
      stderr: e.stderr.length > 0 ? [...e.stderr] : null,
      r2: orNull(e.r2),
    })),
    skipped: of.skipped as Report["skipped"],
    seed: fromSeed(of.seed),
    instances,
    coalitions,
    trust: of.trust.map(({ aopcR, ...t }): Trust => ({
      ...t,
      method: t.method as MethodName,
      aopcr: Object.fromEntries(Object.entries(aopcR).map(([m, values]) => [m, [...values]])),
      correlation: [...t.correlation].map(orNull),
    })),
  };
}

/** A number that is missing is not a number in messages. */
function orNull(x: number): number | null {
  return Number.isNaN(x) ? null : x;
}

export function toDraw(bag: number, report: Report | null, o: DrawOptions): Bodies["draw"] {
  const method = o.method ?? report?.explanations[0]?.method ?? "";
  return {
    bag,
    report: report && toReport(report, method),
    look: {
      kind: o.kind ?? "",
      method,
      classes: report && o.classes ? [...o.classes] : null,
      classNames: [...(o.classNames ?? report?.classes ?? [])],
      nameWidth: o.nameWidth ?? 0,
      width: o.width ?? 0,
      cell: o.cell ?? 0,
      scale: o.scale ?? 0,
      dark: o.dark ?? false,
      perClass: o.perClass ?? false,
      removed: o.removed ? [...o.removed] : null,
      top: o.top ?? 0,
      discount: o.discount ?? false,
      opacity: o.opacity ?? 0,
      sorted: o.sorted ?? false,
    },
  };
}

export function toGeoJSON(report: Report, o: GeoJSONOptions): Omit<Bodies["writeGeoJSON"], "bag"> {
  const { explanations, prediction } = report;
  const likely = (c: number) => prediction[c] ?? -Infinity;
  const chosen =
    o.class ?? explanations.map((e) => e.class).reduce((a, b) => (likely(b) > likely(a) ? b : a));
  return {
    report: toReport(report),
    classNames: [...(o.classNames ?? report.classes)],
    class: chosen,
  };
}

/** What drawings and files need of a report, of all methods or of one. */
function toReport({ explanations, prediction, instances }: Report, method?: string) {
  return {
    explanations: explanations
      .filter((e) => method === undefined || e.method === method)
      .map((e) => ({
        ...e,
        scores: Float64Array.from(e.scores),
        stderr: e.stderr && Float64Array.from(e.stderr),
      })),
    prediction: Float64Array.from(prediction),
    instances: [...instances],
  };
}

export function leftOut(bag: Bag, report: Report | null): number[] {
  if (!report || report.instances.length === bag.instances) return [];
  const stay = new Set(report.instances);
  return Array.from({ length: bag.instances }, (_, i) => i).filter((i) => !stay.has(i));
}
