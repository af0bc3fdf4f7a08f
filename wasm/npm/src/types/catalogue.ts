/** The methods, settings and metrics of an engine, and the kinds of its errors. */

import type { MetricName, SettingsName } from "../methods.js";
import type { MethodOption, MethodOptions } from "../options.js";

/** An option of methods, as a form shows it and checks its values. */
export interface OptionInfo {
  name: MethodOption;
  /** Its name as a flag of the command line and as an attribute: "mean-bag". */
  flag: string;
  kind: "integer" | "number" | "flag" | "choice" | "coalitions";
  /** A label. */
  title: string;
  /** One sentence. */
  help: string;
  /**
   * What holds if it is not given; a word of `choices`, or words for a reader. Empty if there is
   * nothing to say.
   */
  standard: string;
  /** Bounds of a number; null for none. `open` excludes the bounds themselves. */
  range?: { least: number | null; most: number | null; open: boolean };
  choices?: readonly { word: string; title: string }[];
}

/** An option of reading bags, as `readOptions` lists them. */
export interface ReadOptionInfo extends Omit<OptionInfo, "name" | "kind"> {
  /** Its name in camel case: "patchSize" is `size` of the patch. */
  name: string;
  kind: "integer" | "number" | "text";
}

/** The paper's settings for a data set. An option that is absent has its default. */
export interface DataSettings extends MethodOptions {
  name: SettingsName;
  /** "4-MNIST-Bags" */
  title: string;
}

export interface MetricInfo {
  name: MetricName;
  /** "AOPC-R" */
  title: string;
  summary: string;
  /**
   * True if the metric needs instance labels of the bag and a model card that states which labels
   * support a class.
   */
  labels: boolean;
  /** True if lower values are better. */
  lower: boolean;
}

export type ErrorKind =
  | "format" // the file is invalid; details.arrays has a line for each array to choose from
  | "unsupported" // the model uses an operator that this engine lacks, or the slide is of another kind
  | "missing" // files with tensors of the model were not given; details.files has one line for each
  | "limit" // the file or request exceeds a limit
  | "memory" // the memory limit is exceeded
  | "memory-busy" // other computations hold the memory
  | "setting" // an option is invalid or does not exist
  | "unavailable" // the model does not support the method, or there is no graphics processor
  | "budget" // the request needs more evaluations than the budget
  | "non-finite" // the model returns NaN or an infinite score
  | "bag" // the bag does not fit the model, or is inconsistent
  | "run" // the model fails on the values of the bag
  | "callable" // a function that is explained returned wrong scores
  | "cancelled" // a signal aborted the call, or the engine closed
  | "internal"; // an error of bagscope, or the engine cannot start
