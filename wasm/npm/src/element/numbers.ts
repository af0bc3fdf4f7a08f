/** The prediction as bars and all scores as a table: the content of the picture as text. */

import type { Explanation, Prediction } from "../types.js";
import { make } from "./dom.js";
import type { Texts } from "./texts.js";

const MINUS = "\u2212";

/** Formats a score with its sign: "+0.312", "−4.0e−5", "0". */
function signed(x: number, { local }: Texts): string {
  if (!Number.isFinite(x)) return "–";
  if (x === 0) return "0";
  const size = Math.abs(x);
  return (
    (x > 0 ? "+" : MINUS) +
    local(size < 0.0005 ? size.toExponential(1).replace("-", MINUS) : size.toFixed(3))
  );
}

/** Returns a number whose sign and brackets stand where they are in every direction of lines. */
const number = (text: string): HTMLElement => make("bdi", { dir: "ltr" }, text);

/** Formats a probability in percent; only 0 and 1 are shown as 0 % and 100 %. */
export function percent(p: number): string {
  if (p > 0 && p < 0.001) return "< 0.1\u00a0%";
  if (p > 0.999 && p < 1) return "> 99.9\u00a0%";
  return `${(100 * p).toFixed(1)}\u00a0%`;
}

/**
 * Returns a list with a bar for each class. One class is the first, as in the picture: that which
 * is predicted for the whole bag.
 */
export function predictionList(
  prediction: Prediction,
  texts: Texts,
  title: string,
  first: number,
): HTMLElement {
  const { prediction: values, classes, output } = prediction;
  const top = values.indexOf(Math.max(...values));
  const low = Math.min(0, ...values);
  const high = output === "prob" ? 1 : Math.max(...values, low + 1e-9);
  const order = values.map((_, c) => c).sort((a, b) => Number(b === first) - Number(a === first));
  const rows = order.map((c) => {
    const value = values[c]!;
    const name = classes[c] ?? String(c);
    const text = texts.local(output === "prob" ? percent(value) : value.toFixed(3));
    const length = make("span", { className: "length" });
    length.style.width = `${Math.min(100, Math.max(0, (100 * (value - low)) / (high - low)))}%`;
    const bar = make("span", { className: "bar", "aria-hidden": "true" }, length);
    return make(
      "li",
      c === top ? { className: "top" } : {},
      make("span", { className: "name" }, name),
      bar,
      make("span", { className: "value" }, number(text)),
    );
  });
  return make(
    "div",
    { part: "prediction" },
    make("p", { className: "title", textContent: title }),
    make("ul", { className: "prediction" }, ...rows),
  );
}

/** Returns a table with a row for each instance and a column for each class. */
export function scoreTable(
  explanations: readonly Explanation[],
  instances: readonly number[],
  names: (c: number) => string,
  out: ReadonlySet<number>,
  texts: Texts,
  caption: string,
  noun: string,
): HTMLElement {
  const head = explanations.map((e) => make("th", { scope: "col" }, names(e.class)));
  const rows = instances.map((instance, at) =>
    make(
      "tr",
      out.has(instance) ? { className: "out" } : {},
      make("th", { scope: "row" }, String(instance + 1)),
      ...explanations.map((e) => scoreCell(e, at, texts)),
    ),
  );
  const foot = (name: string, value: (e: Explanation) => string | Node) =>
    make(
      "tr",
      {},
      make("th", { scope: "row" }, name),
      ...explanations.map((e) => make("td", {}, value(e))),
    );
  const shifted = explanations.some((e) => e.neutral !== 0);
  return make(
    "table",
    { part: "table" },
    make("caption", { textContent: caption }),
    make("thead", {}, make("tr", {}, make("th", { scope: "col" }, noun), ...head)),
    make("tbody", {}, ...rows),
    make(
      "tfoot",
      {},
      ...(shifted ? [foot(texts.neutral, (e) => number(signed(e.neutral, texts)))] : []),
      foot("( )", (e) => {
        const count = e.evident.filter((clear) => !clear).length;
        return make("span", { textContent: texts.unclear(count, e.scores.length) });
      }),
    ),
  );
}

/**
 * Returns the cell of a score, coloured by its side of the neutral point; in brackets if it is not
 * evidence.
 */
function scoreCell(e: Explanation, at: number, texts: Texts): HTMLElement {
  const score = e.scores[at] ?? NaN;
  const text = signed(score, texts);
  if (!e.evident[at]) return make("td", {}, number(`(${text})`));
  return make("td", { className: score > e.neutral ? "support" : "refute" }, number(text));
}
