/** Every text of the element. Assign to `BagExplainer.texts` to say them in another language. */

export interface Texts {
  /** What the picture is, for those who do not see it. */
  picture(bag: string, method: string): string;
  /** One instance's score in words. */
  score(instance: number, className: string, score: number): string;
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
  score(instance, className, score) {
    if (!Number.isFinite(score)) return `instance ${instance} has no score for ${className}`;
    if (score === 0) return `instance ${instance} is neutral to ${className}`;
    return `instance ${instance} ${score > 0 ? "supports" : "refutes"} ${className} by ${size(score)}`;
  },
  loading: "Loading the model and the bag …",
  working: "Explaining …",
  prediction: "Prediction",
  without: (count) => `Prediction without ${count === 1 ? "one instance" : `${count} instances`}`,
  method: "Method",
  putBack: "Put all back",
  numbers: "All numbers",
  instance: "instance",
  help: "Arrow keys go from instance to instance; Enter takes one out of the bag or puts it back.",
  problem: (reason) => `This bag cannot be explained: ${reason}`,
};
