/**
 * The public types of the package. An Engine opens models and bags; a Model predicts and explains.
 * All calls return promises, and long calls take an AbortSignal.
 */

export type { MethodName, MetricName, SettingsName } from "./methods.js";
export type { MethodOption, MethodOptions } from "./options.js";
export type * from "./questions.js";
export type * from "./types/answers.js";
export type * from "./types/bag.js";
export type * from "./types/catalogue.js";
export type * from "./types/picture.js";
export type * from "./types/engine.js";
export type * from "./types/explanation.js";
export type * from "./types/judgement.js";
export type * from "./types/model.js";
export type * from "./types/slide.js";
export type * from "./types/whatif.js";
