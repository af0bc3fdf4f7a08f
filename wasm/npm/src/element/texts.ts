/**
 * All texts of the element. The shipped languages are in `texts/`. Assign another translation to
 * `BagExplainer.texts`.
 */

import { visible } from "../visible.js";
import type { Explanation, MethodName, Missed, PictureWords, Prediction, Trust } from "../types.js";

/** What the trust of a class is about, see `Texts.trust`. */
export interface Trusted {
  trust: Trust;
  /** Place of the class in the lists of `trust`. */
  at: number;
  /** Unit of the predictions of the class. */
  unit: string;
  /** Whether the method draws samples. */
  draws: boolean;
}

export interface Texts {
  /** The tag of the language (BCP 47), and where its lines begin. */
  tag: string;
  direction: "ltr" | "rtl";
  /** Writes a number such as "0.312" in the signs of the language. */
  local(number: string): string;
  /** The words of the picture; null for those of the engine. */
  legend: Omit<PictureWords, "title"> | null;
  /** Titles of methods; the engine's if there is none. */
  methods: Readonly<Partial<Record<MethodName, string>>>;
  /** The engine's words for an instance where neither card nor file has one, and what they become. */
  nouns: Readonly<Record<string, string>>;
  /** Text alternative of the picture. */
  picture(bag: string, method: string): string;
  /** What the picture says, from the engine's sentences, the prediction, and a class of it. */
  summary(
    sentences: readonly string[],
    whole: Prediction,
    c: number,
    e: Explanation | undefined,
  ): string;
  /**
   * The score of one instance in words, from its index, its difference from the neutral point,
   * whether it is evidence, and what an instance is called. Words and pictures number instances from
   * 1, indices count from 0.
   */
  score(
    instance: number,
    className: string,
    difference: number,
    evident: boolean,
    unit: string,
    noun: string,
  ): string;
  /** What the bag loses without the instance, and that this has another sign than the score. */
  missed(missed: Missed, className: string, noun: string): string;
  /** The number of scores of a class that are not evidence. */
  unclear(count: number, of: number): string;
  neutral: string;
  /** The trust in the scores of a class, from the sentence of `trusted`. */
  trust(className: string, sentence: string): string;
  /** How far the scores of a class can be trusted. */
  trusted(of: Trusted): string;
  measuring: string;
  loading: string;
  /** What is fetched of the engine: its size in bytes, and the part that has arrived, 0 to 1. */
  engine(bytes: number, share: number): string;
  working: string;
  prediction: string;
  without(count: number): string;
  method: string;
  remove: string;
  restore: string;
  putBack: string;
  numbers: string;
  help: string;
  /** What can be done with a picture of instances, by their name. */
  hint(noun: string): string;
  /** What precedes the message after a failure, which is in English. */
  problem: string;
  /** What is still shown after a failure. */
  earlier(bag: string, method: string): string;
}

const MINUS = "\u2212";

const size = (x: number) =>
  Math.abs(x) < 0.005 ? Math.abs(x).toExponential(1) : Math.abs(x).toFixed(2);

/** Replaces hyphens in the numbers of an engine's sentence by minus signs. */
const withMinus = (text: string): string => text.replace(/-(?=\.?\d)/g, MINUS);

export const english: Texts = {
  tag: "en",
  direction: "ltr",
  local: (number) => number,
  legend: null,
  methods: {},
  nouns: { instance: "instance", patch: "patch", slice: "slice" },
  picture: (bag, method) => `${bag}, explained by ${method}`,
  summary: (sentences) => sentences.join(" "),
  score(instance, className, difference, evident, unit, noun) {
    const name = `${noun} ${instance + 1}`;
    if (!Number.isFinite(difference)) return `${name} has no score for ${className}`;
    if (!evident) return `${name} does not stand out from neutral for ${className}`;
    const verb = difference > 0 ? "supports" : "refutes";
    return `${name} ${verb} ${className} by ${size(difference)} (${unit})`;
  },
  missed: ({ missedHere, unit, sentence }) =>
    `; missed here: ${missedHere < 0 ? MINUS : "+"}${size(missedHere)} (${unit})` +
    (sentence && `. ${visible(sentence)}`),
  unclear: (count, of) => `${count} of ${of} do not stand out`,
  neutral: "neutral point",
  trust: (className, sentence) => `Trust in the scores for ${className}: ${sentence}`,
  trusted: ({ trust, at }) => withMinus(trust.sentences[at]!),
  measuring: "Measuring the trust in the scores …",
  loading: "Loading the model and the bag …",
  engine: (bytes, share) =>
    `Loading the engine, ${(bytes / 1e6).toFixed(1)} MB: ${Math.round(100 * share)} %`,
  working: "Explaining …",
  prediction: "Prediction",
  without: (count) => `Prediction without ${count === 1 ? "one instance" : `${count} instances`}`,
  method: "Method",
  remove: "Remove",
  restore: "Restore",
  putBack: "Restore all",
  numbers: "All numbers",
  help: "Arrow keys select an instance; Delete removes it or restores it.",
  hint: (noun) => `Selecting shows what one ${noun} does; it can then be removed.`,
  problem: "This bag cannot be explained:",
  earlier: (bag, method) =>
    `What is shown here is the earlier answer: ${bag}, explained by ${method}.`,
};
