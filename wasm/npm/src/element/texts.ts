/** Every text of the element. Assign to `BagExplainer.texts` to say them in another language. */

export interface Texts {
  /** What the picture is, for those who do not see it. */
  picture(bag: string, method: string): string;
  /** One instance's score in words: how far it lies from the neutral point, and whether that is evidence. */
  score(instance: number, className: string, difference: number, evident: boolean, unit: string): string;
  /** How many scores of a class chance or rounding explains. */
  unclear(count: number, of: number): string;
  neutral: string;
  /** How far the map of a class can be trusted; the sentence is the engine's. */
  trust(className: string, sentence: string): string;
  measuring: string;
  loading: string;
  working: string;
  prediction: string;
  without(count: number): string;
  method: string;
  putBack: string;
  numbers: string;
  instance: string;
  help: string;
  /** What went wrong. */
  problem(reason: string): string;
}

const size = (x: number) => (Math.abs(x) < 0.005 ? Math.abs(x).toExponential(1) : Math.abs(x).toFixed(2));

export const english: Texts = {
  picture: (bag, method) => `${bag}, explained by ${method}`,
  score(instance, className, difference, evident, unit) {
    if (!Number.isFinite(difference)) return `instance ${instance} has no score for ${className}`;
    if (!evident) return `instance ${instance} is not distinguishable from neutral to ${className}`;
    const verb = difference > 0 ? "supports" : "refutes";
    return `instance ${instance} ${verb} ${className} by ${size(difference)} (${unit})`;
  },
  unclear: (count, of) => `${count} of ${of} not distinguishable`,
  neutral: "neutral point",
  trust: (className, sentence) => `Trust in the map of ${className}: ${sentence}`,
  measuring: "Measuring how far the map can be trusted …",
  loading: "Loading the model and the bag …",
  working: "Explaining …",
  prediction: "Prediction",
  without: (count) => `Prediction without ${count === 1 ? "one instance" : `${count} instances`}`,
  method: "Method",
  putBack: "Restore all",
  numbers: "All numbers",
  instance: "instance",
  help: "Arrow keys move between instances; Enter removes an instance or restores it.",
  problem: (reason) => `This bag cannot be explained: ${reason}`,
};
