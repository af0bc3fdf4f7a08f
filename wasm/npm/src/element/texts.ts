/** All texts of the element. Assign a translation to `BagExplainer.texts`. */

export interface Texts {
  /** The engine's words for an instance where neither card nor file has one, and what they become. */
  nouns: Readonly<Record<string, string>>;
  /** Text alternative of the picture. */
  picture(bag: string, method: string): string;
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
  /**
   * What the bag loses without the instance, in the unit, and the engine's sentence if that has
   * another sign than the score, else "".
   */
  missed(loss: number, unit: string, sentence: string): string;
  /** The number of scores of a class that are not evidence. */
  unclear(count: number, of: number): string;
  neutral: string;
  /** The trust in the scores of a class; `sentence` comes from the engine. */
  trust(className: string, sentence: string): string;
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
  /** The message after a failure. */
  problem(reason: string): string;
  /** What is still shown after a failure. */
  earlier(bag: string, method: string): string;
}

const size = (x: number) =>
  Math.abs(x) < 0.005 ? Math.abs(x).toExponential(1) : Math.abs(x).toFixed(2);

export const english: Texts = {
  nouns: { instance: "instance", patch: "patch", slice: "slice" },
  picture: (bag, method) => `${bag}, explained by ${method}`,
  score(instance, className, difference, evident, unit, noun) {
    const name = `${noun} ${instance + 1}`;
    if (!Number.isFinite(difference)) return `${name} has no score for ${className}`;
    if (!evident) return `${name} does not stand out from neutral for ${className}`;
    const verb = difference > 0 ? "supports" : "refutes";
    return `${name} ${verb} ${className} by ${size(difference)} (${unit})`;
  },
  missed: (loss, unit, sentence) =>
    `; missed here: ${loss < 0 ? "\u2212" : "+"}${size(loss)} (${unit})${sentence && `. ${sentence}`}`,
  unclear: (count, of) => `${count} of ${of} do not stand out`,
  neutral: "neutral point",
  trust: (className, sentence) => `Trust in the scores for ${className}: ${sentence}`,
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
  problem: (reason) => `This bag cannot be explained: ${reason}`,
  earlier: (bag, method) =>
    `What is shown here is the earlier answer: ${bag}, explained by ${method}.`,
};
