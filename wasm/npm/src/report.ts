/** Explanations and drawings between the public types and those of the wire. */

import { covariatesText } from "./covariates.js";
import type { Answer } from "./connection.js";
import type { Bodies } from "./message.js";
import type {
  Bag,
  DICOMOptions,
  DrawOptions,
  ExplainOptions,
  GeoJSONOptions,
  Report,
} from "./types.js";

export function toExplain(
  model: number,
  bag: number,
  o: ExplainOptions,
): Omit<Bodies["explain"], "helpers" | "eager"> {
  const { method } = o;
  return {
    model,
    bag,
    methods: method === undefined ? null : typeof method === "string" ? [method] : [...method],
    without: [...(o.without ?? [])],
    classes: o.classes ? [...o.classes] : null,
    settings: o.settings ?? "",
    skipMissing: o.skipMissing ?? null,
    watch: o.onProgress !== undefined,
    predict: o.onPrediction !== undefined,
    plan: o.onPlan !== undefined,
    notes: o.onNote !== undefined,
    trace: o.trace ?? false,
    trust: o.trust ?? false,
    reference: o.reference == null ? null : covariatesText(o.reference, "reference"),
    output: o.output ?? "",
    seed: o.seed ?? 0,
    budget: o.budget ?? 0,
    memory: o.memory ?? 0,
    options: o,
    coalitions: o.coalitions ? [...o.coalitions] : null,
  };
}

/** Each explanation gets its scale. */
export function fromExplained({ scales, ...report }: Answer<"explain">): Report {
  const explanations = report.explanations.map((e, i) => ({ ...e, scale: scales[i]! }));
  return { ...report, explanations };
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
      height: o.height ?? 0,
      scale: o.scale ?? 0,
      dark: o.dark ?? false,
      colours: o.colours ?? "",
      perClass: o.perClass ?? false,
      strongest: o.strongest ?? 0,
      removed: o.removed ? [...o.removed] : null,
      top: o.top ?? 0,
      discount: o.discount ?? false,
      opacity: o.opacity ?? 0,
      sorted: o.sorted ?? false,
      order: o.order ? [...o.order] : null,
      words: o.words ?? null,
    },
  };
}

export function toGeoJSON(
  report: Report,
  o: Pick<GeoJSONOptions, "class" | "classNames" | "colours">,
): Omit<Bodies["writeGeoJSON"], "bag" | "instanceNames"> {
  const { explanations, prediction } = report;
  const likely = (c: number) => prediction[c] ?? -Infinity;
  const chosen =
    o.class ?? explanations.map((e) => e.class).reduce((a, b) => (likely(b) > likely(a) ? b : a));
  return {
    report: toReport(report),
    classNames: [...(o.classNames ?? report.classes)],
    class: chosen,
    colours: o.colours ?? "",
  };
}

export function toDICOM(report: Report, o: DICOMOptions): Omit<Bodies["writeDICOM"], "bag"> {
  return {
    ...toGeoJSON(report, o),
    form: o.form ?? "seg",
    top: o.top ?? 0,
    identifiers: Uint8Array.from(o.identifiers ?? []),
    seconds: Math.floor((o.time ?? new Date()).getTime() / 1000),
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
