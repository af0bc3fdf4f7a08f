/** What an engine offers, and the kinds of its errors. */

import type { MethodName, MethodOption, MetricName, SettingsName } from "../methods.js";

export interface MethodInfo {
  name: MethodName;
  /** "One Removed" */
  title: string;
  summary: string;
  /** Model evaluations, as a formula in k and n. */
  cost: string;
  /** The options of `ExplainOptions` that it takes. */
  options: MethodOption[];
}

export interface DataSettings {
  name: SettingsName;
  /** "4-MNIST-Bags" */
  title: string;
  samples: number;
  alpha: number;
  beta: number;
  meanBag: number;
  repeats: boolean;
}

export interface MetricInfo {
  name: MetricName;
  /** "AOPC-R" */
  title: string;
  summary: string;
  /** Needs instance labels of the bag, and a model card that says which of them support a class. */
  labels: boolean;
  /** Lower is better. */
  lower: boolean;
}

export type ErrorKind =
  | "format" // the bytes are wrong
  | "unsupported" // an operator that this engine does not have
  | "missing" // files that the model keeps tensors in; details.files has a line for each
  | "limit" // larger than the limits allow
  | "setting" // an option makes no sense
  | "unavailable" // the method cannot answer for this model, or there is no graphics processor
  | "budget" // more evaluations than the budget
  | "non-finite" // the model gives NaN or infinity
  | "bag" // the bag does not fit the model, or contradicts itself
  | "cancelled" // aborted or closed
  | "internal"; // a fault of bagscope
