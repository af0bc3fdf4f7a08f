import { BagscopeError } from "./error.js";

/**
 * What inputs of the model beside the instances take for a bag, by the names of the inputs: a
 * number, or a list with one for each element of the input, such as { age: 63, stage: [0, 0, 1] }.
 */
export type Covariates = Readonly<Record<string, number | readonly number[]>>;

/**
 * Returns covariates as the engine reads them: age=63;stage=0,0,1. Text is returned as it is. Throws
 * an error of kind "setting" for values that are not finite numbers and for names that the text
 * cannot hold.
 */
export function covariatesText(covariates: string | Covariates): string {
  if (typeof covariates === "string") return covariates;
  if (typeof covariates !== "object" || covariates === null || Array.isArray(covariates))
    throw fault(`inputs are ${covariates}, and must be text or an object, such as { age: 63 }`);
  return Object.entries(covariates)
    .map(([name, values]) => `${named(name)}=${numbers(name, values).join(",")}`)
    .join(";");
}

function named(name: string): string {
  if (/[=;]/.test(name) || name.trim() !== name || name === "")
    throw fault(`inputs have the name ${JSON.stringify(name)}; use a name of the model's inputs`);
  return name;
}

function numbers(name: string, values: number | readonly number[]): readonly number[] {
  const list = typeof values === "number" ? [values] : values;
  const valid = Array.isArray(list) && list.length > 0 && list.every((v) => Number.isFinite(v));
  if (!valid)
    throw fault(`inputs.${name} is ${values}, and must be a finite number, or a list of them`);
  return list;
}

function fault(message: string): BagscopeError {
  return new BagscopeError("setting", message, { setting: "inputs" });
}
