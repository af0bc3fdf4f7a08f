import { BagscopeError } from "./error.js";

/**
 * What inputs of the model beside the instances take for a bag, by the names of the inputs: a
 * number, or a list with one for each element of the input, such as { age: 63, stage: [0, 0, 1] }.
 */
export type Covariates = Readonly<Record<string, number | readonly number[]>>;

/**
 * Returns covariates as the engine reads them: age=63;stage=0,0,1. Text is returned as it is. Throws
 * an error of kind "setting" for values that are not finite numbers and for names that the text
 * cannot hold; it names the setting.
 */
export function covariatesText(covariates: string | Covariates, setting = "inputs"): string {
  if (typeof covariates === "string") return covariates;
  if (typeof covariates !== "object" || covariates === null || Array.isArray(covariates))
    throw fault(setting, `: ${covariates} must be text or an object, such as { age: 63 }`);
  for (const [name, values] of Object.entries(covariates)) {
    if (/[=;]/.test(name) || name.trim() !== name || name === "")
      throw fault(
        setting,
        `: the name ${JSON.stringify(name)} is invalid; use a name of the model's inputs`,
      );
    if (!areNumbers(values))
      throw fault(setting, `.${name} is ${values}, and must be a finite number, or a list of them`);
  }
  return Object.entries(covariates)
    .map(([name, values]) => `${name}=${String(values)}`)
    .join(";");
}

function areNumbers(values: unknown): boolean {
  const list = Array.isArray(values) ? values : [values];
  return list.length > 0 && list.every((v) => Number.isFinite(v));
}

function fault(setting: string, reason: string): BagscopeError {
  return new BagscopeError("setting", `${setting}${reason}`, { setting });
}
