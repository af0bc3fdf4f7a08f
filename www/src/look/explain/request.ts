// What the form asks of the engine, as options of its requests.
import type { ExplainOptions, PredictOptions } from 'bagscope';
import { read } from '../state/fields';
import { loaded } from '../state/document.svelte';
import { ALL_METHODS, excluded, question } from '../state/question.svelte';

/** The scale of the predictions. */
export function output(): Pick<PredictOptions, 'output'> {
  const { output } = question.choice;
  return output ? { output: output as 'prob' | 'logit' } : {};
}

/**
 * The chosen method, and with it the one that is drawn beside it; undefined for the default of the
 * model. Options that are given are those of the shown method.
 */
function methods(given: object): string | string[] | undefined {
  const { choice, name, comparison } = question;
  if (comparison && name !== ALL_METHODS && comparison.method !== name)
    return [name, comparison.method];
  return choice.method || (Object.keys(given).length > 0 ? name : undefined);
}

/** The options of an explanation. Throws a FieldError if a field of the form makes no sense. */
export function request(): ExplainOptions {
  const { choice, options } = question;
  const without = excluded();
  const seed = choice.seed.trim();
  const given = read(options, choice.options);
  const method = methods(given);
  return {
    ...(method === undefined ? {} : { method: method as ExplainOptions['method'] }),
    // A method that the model does not support must not hide the one beside it.
    ...(Array.isArray(method) ? { skipMissing: true } : {}),
    // The settings of a data set are for methods that draw a number of coalitions.
    ...(choice.settings && options.includes('samples')
      ? { settings: choice.settings as ExplainOptions['settings'] }
      : {}),
    ...(given as Partial<ExplainOptions>),
    ...output(),
    ...(without.length > 0 ? { without } : {}),
    // The reference may be that of a link, and the model one without inputs beside the bag.
    ...(choice.reference && loaded.model?.info.covariates.length
      ? { reference: choice.reference }
      : {}),
    seed: /^\d{16,20}$/.test(seed) ? BigInt(seed) : Number(seed || 0),
  };
}
