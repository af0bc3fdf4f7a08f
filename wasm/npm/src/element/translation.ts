/**
 * Texts in a language from its phrases, which hold no code. A phrase has its values in places such
 * as {class}; phrases of several plurals are chosen by the rules of the language.
 */

import type { MethodName, PictureWords, Trust } from "../types.js";
import { percent } from "./numbers.js";
import type { Texts, Trusted } from "./texts.js";
import { visible } from "../visible.js";

/** A phrase for each plural of its {count}. */
type Plural = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string };

export interface Phrases {
  /** Between two sentences. */
  gap: string;
  /** Around the name of a class. */
  quoted: string;
  methods: Readonly<Record<MethodName, string>>;
  nouns: Readonly<Record<"instance" | "patch" | "slice", string>>;
  /** The words of the picture; the decimal sign and the direction follow from the language. */
  legend: Omit<PictureWords, "title" | "decimal" | "rightToLeft">;
  picture: string;
  /** The prediction, and how many of the instances stand out. */
  summary: string;
  evidence: Plural;
  noScore: string;
  neutralScore: string;
  supports: string;
  refutes: string;
  missed: string;
  supportsButHigher: string;
  refutesButLower: string;
  unclear: string;
  neutral: string;
  trust: {
    of: string;
    /** No order can be tested. */
    none: string;
    /** By how much a {unit} falls more than in random order, and that of other methods. */
    lowers: string;
    beside: string;
    /** How many random orders lower it less: all, most, or few. */
    all: string;
    most: string;
    few: string;
    better: string;
    /** How much the order of another seed is alike. */
    same: string;
    nearly: string;
    similar: string;
    partly: string;
    different: string;
    more: string;
    /** What the instances do that stand out. */
    alone: Plural;
    recoverability: string;
    kept: string;
  };
  measuring: string;
  loading: string;
  engine: string;
  working: string;
  prediction: string;
  without: Plural;
  method: string;
  remove: string;
  restore: string;
  putBack: string;
  numbers: string;
  help: string;
  hint: string;
  problem: string;
  earlier: string;
}

// As in core/metric/trust.go and trustwords.go.
/** Random orders that an order is compared with, and how many a good one exceeds. */
const [ORDERS, GOOD] = [10, 9];
/** The methods that an order is compared with; an answer has them by name. */
const OTHERS = ["single", "one_removed", "inherent"] as const;

/** Returns the texts of a language. Digits are 0 to 9 in every language, as in pictures. */
export function translation(tag: string, direction: "ltr" | "rtl", p: Phrases): Texts {
  const locale = `${tag}-u-nu-latn`;
  const plurals = new Intl.PluralRules(locale);
  const list = new Intl.ListFormat(locale, { type: "conjunction" });
  const short = new Intl.NumberFormat(locale, { maximumSignificantDigits: 2, useGrouping: false });
  const decimal = short.formatToParts(0.5).find(({ type }) => type === "decimal")!.value;
  const local = (number: string) => number.replace(".", decimal).replace(/-/g, "\u2212");
  // What stands between these marks keeps its direction within a line.
  const apart = (text: string, mark = "\u2068") =>
    direction === "rtl" ? `${mark}${text}\u2069` : text;
  const number = (text: string) => apart(local(text), "\u2066");
  const brief = (x: number) => number((x < 0 ? "-" : "") + short.format(Math.abs(x)));
  const size = (x: number, sign = "") =>
    number(sign + (Math.abs(x) < 0.005 ? Math.abs(x).toExponential(1) : Math.abs(x).toFixed(2)));
  const put = (phrase: string, values: Readonly<Record<string, string | number>>) =>
    phrase.replace(/\{(\w+)\}/g, (_, key: string) => String(values[key]));
  const counted = (phrases: Plural, count: number, values = {}) =>
    put(phrases[plurals.select(count)] ?? phrases.other, { count: number(`${count}`), ...values });
  const numbered = (noun: string, instance: number) => apart(`${noun} ${local(`${instance + 1}`)}`);
  const quoted = (name: string) => put(p.quoted, { name: apart(name) });
  const { probability, logOdds, logit, score } = p.legend;
  const units: Readonly<Record<string, string>> = {
    ...{ probability, logit, score },
    "log-odds": logOdds,
  };
  const unitOf = (unit: string) => units[unit] ?? apart(visible(unit));
  const titleOf = (method: string) => p.methods[method as MethodName] ?? method;

  const agreement = (r: number, draws: boolean): string => {
    if (r === 1) return p.trust.same;
    const { nearly, similar, partly, different, more } = p.trust;
    const how = r >= 0.95 ? nearly : r >= 0.8 ? similar : r >= 0.5 ? partly : different;
    const text = put(how, { r: number(r.toFixed(2)) });
    return r < 0.8 && draws ? text + p.gap + more : text;
  };
  const kept = (t: Trust, at: number, unit: string): string[] => {
    const [alone, rest, back] = [t.sufficiency[at], t.necessity[at], t.recoverability[at]];
    const lines: string[] = [];
    if (t.shown[at]! > 0 && alone != null && rest != null)
      lines.push(
        counted(p.trust.alone, t.shown[at]!, {
          unit: unitOf(unit),
          alone: brief(alone),
          rest: brief(rest),
          back: back == null ? "" : put(p.trust.recoverability, { r: number(back.toFixed(2)) }),
        }),
      );
    if (t.least[at]! > 0)
      lines.push(
        put(p.trust.kept, { ranked: number(`${t.ranked[at]}`), least: number(`${t.least[at]}`) }),
      );
    return lines;
  };
  const trusted = ({ trust: t, at, unit, draws }: Trusted): string => {
    const own = t.aopcr[t.method]?.[at];
    if (own === undefined) return p.trust.none;
    const others = OTHERS.filter((method) => method !== t.method && t.aopcr[method]).map(
      (method) => [method, t.aopcr[method]![at]!] as const,
    );
    const better = others.find(([, x]) => x > own + 0.1 * Math.max(Math.abs(own), Math.abs(x)));
    const beaten = t.beaten[at]!;
    const how = beaten === ORDERS ? p.trust.all : beaten >= GOOD ? p.trust.most : p.trust.few;
    const beside = list.format(others.map(([method, x]) => `${titleOf(method)} ${brief(x)}`));
    const sentences = [
      put(p.trust.lowers, { unit: unitOf(unit), by: brief(own) }) +
        (others.length > 0 ? put(p.trust.beside, { others: beside }) : "") +
        put(how, {
          beaten: number(`${beaten}`),
          rest: number(`${ORDERS - beaten}`),
          of: number(`${ORDERS}`),
        }),
      ...(better ? [put(p.trust.better, { method: titleOf(better[0]) })] : []),
      agreement(t.correlation[at] ?? NaN, draws),
      ...kept(t, at, unit),
    ];
    return sentences.join(p.gap);
  };

  return {
    ...p,
    ...{ tag, direction, local },
    legend: {
      ...(Object.fromEntries(
        Object.entries(p.legend).map(([key, text]) => [
          key,
          text.replace(/\{\d\}/g, (at) => apart(at)),
        ]),
      ) as typeof p.legend),
      ...{ decimal, rightToLeft: direction === "rtl" },
    },
    picture: (bag, method) => put(p.picture, { bag: apart(bag), method }),
    summary(_, { prediction, classes, units }, c, e) {
      const value =
        units[c] === "probability"
          ? number(percent(prediction[c]!))
          : `${brief(prediction[c]!)} (${unitOf(units[c]!)})`;
      const said = put(p.summary, { class: quoted(visible(classes[c] ?? `${c}`)), value });
      if (!e) return said;
      const count = e.evident.filter(Boolean).length;
      return said + p.gap + counted(p.evidence, count, { of: number(`${e.scores.length}`) });
    },
    score(instance, className, difference, evident, unit, noun) {
      const values = { name: numbered(noun, instance), class: quoted(className) };
      if (!Number.isFinite(difference)) return put(p.noScore, values);
      if (!evident) return put(p.neutralScore, values);
      const phrase = difference > 0 ? p.supports : p.refutes;
      return put(phrase, { ...values, by: size(difference), unit: unitOf(unit) });
    },
    missed({ instance, byItself, missedHere, unit, sentence }, className, noun) {
      const sign = missedHere < 0 ? "\u2212" : "+";
      const text = put(p.missed, { by: size(missedHere, sign), unit: unitOf(unit) });
      const values = { name: numbered(noun, instance), class: quoted(className) };
      const opposed = byItself > 0 ? p.supportsButHigher : p.refutesButLower;
      return sentence ? text + put(opposed, values) : text;
    },
    unclear: (count, of) => put(p.unclear, { count: number(`${count}`), of: number(`${of}`) }),
    trust: (className, sentence) => put(p.trust.of, { class: quoted(className) }) + sentence,
    trusted,
    engine: (bytes, share) =>
      put(p.engine, {
        size: number((bytes / 1e6).toFixed(1)),
        share: number(`${Math.round(100 * share)}`),
      }),
    without: (count) => counted(p.without, count),
    hint: (noun) => put(p.hint, { noun }),
    earlier: (bag, method) => put(p.earlier, { bag: apart(bag), method }),
  };
}
