/** Requests of judgements. */

import { BagscopeError } from "./error.js";
import type { Bodies } from "./message.js";
import { leftOut } from "./report.js";
import type { Bag, JudgeOptions, Ranking, Report } from "./types.js";

/** The metrics if the caller names none, see `JudgeOptions.metrics`. */
const usual = ["aopc_r", "ndcg", "auprc"] as const;

/** A report defines the removed instances, the output and the seed; options override them. */
export function toJudge(
  model: number,
  handle: number,
  bag: Bag,
  judged: Report | readonly Ranking[],
  o: JudgeOptions,
): Omit<Bodies["judge"], "helpers" | "eager"> {
  const report = "explanations" in judged ? judged : null;
  const { metrics = usual } = o;
  return {
    model,
    bag: handle,
    without: [...(o.without ?? leftOut(bag, report))],
    judging: {
      rankings: (report?.explanations ?? (judged as readonly Ranking[])).map(toRanking),
      metrics: typeof metrics === "string" ? [metrics] : [...metrics],
      orders: toOrders(o.orders ?? 10),
      references: o.references ?? false,
      preset: o.preset ?? "",
      strict: o.strict ?? false,
      output: o.output ?? (report?.output === "logit" ? "logit" : ""),
      seed: o.seed ?? report?.seed ?? 0,
      budget: o.budget ?? 0,
      memory: o.memory ?? 0,
    },
    watch: o.onProgress !== undefined,
  };
}

/** Scores are copied: the request may be sent after the caller has changed them. */
function toRanking({
  method = "",
  class: c,
  scores,
  r2 = null,
}: Ranking): Bodies["judge"]["judging"]["rankings"][number] {
  if (!Number.isInteger(c) || typeof scores !== "object")
    throw new BagscopeError("setting", "a ranking needs a class and the scores of all instances", {
      setting: "rankings",
    });
  return { method, class: c, scores: Float64Array.from(scores), r2 };
}

/** On the wire, 0 means the engine's default; here it is an error. */
function toOrders(orders: number): number {
  if (orders > 0) return orders;
  throw new BagscopeError(
    "setting",
    `the number of random orders is ${orders}, but must be at least 1`,
    {
      setting: "orders",
    },
  );
}
