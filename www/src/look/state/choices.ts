// What a user can choose after files were refused: the array of features, what its numbers are, a
// larger stride, or how a model's scores of instances become those of the bag.
import { BagscopeError, type ModelInfo } from 'bagscope';
import { eachModel } from './eachmodel';
import { brief } from './brief';
import { tableOf } from './columns';
import { instanceShape } from '../state/instanceshape';
import { describe } from './problem';
import type { BagSource, Choices, ModelFile, ModelSource, NamedShape, Problem } from './types';
import { noun } from './noun';
import { look as words } from '../../strings';

/** The arrays that an error offers, one for each line; none for every other error. */
export function arraysOf(error: unknown): NamedShape[] {
  const lines = error instanceof BagscopeError && error.details.arrays;
  if (typeof lines !== 'string') return [];
  return lines.split('\n').flatMap((line) => {
    const [, name, sides] = /^(.+) \(([\d, ]+)\)$/.exec(line) ?? [];
    return name && sides ? [{ name, shape: (sides.match(/\d+/g) ?? []).map(Number) }] : [];
  });
}

/** Whether an array may hold the instances of a model; sides below 1 fit every array. */
export function fits({ shape }: NamedShape, model: ModelInfo | null): boolean {
  const sides = instanceShape(model);
  const own = shape.slice(shape.length - sides.length);
  return (
    sides.length > 0 &&
    shape.length > sides.length &&
    sides.every((side, i) => side < 1 || side === own[i])
  );
}

/** Arrays as ways to open the files of a source. */
function byArray(
  arrays: readonly NamedShape[],
  source: BagSource,
  index: number,
  model: ModelInfo | null,
): Choices {
  const items = arrays.map((a) => ({
    label: brief(a.name),
    about: words.choices.array(a.shape, fits(a, model)),
    index,
    source: { ...source, array: a.name, arrays },
  }));
  return { title: words.choices.features, items };
}

/** The strides that an error offers, one for each line with how many patches it makes. */
export function stridesOf(error: unknown): { stride: number; count: number }[] {
  const lines = error instanceof BagscopeError && error.details.strides;
  if (typeof lines !== 'string' || lines === '') return [];
  return lines.split('\n').map((line) => {
    const [stride = 0, count = 0] = line.split(' ').map(Number);
    return { stride, count };
  });
}

/** Larger strides as ways to cut the picture of a source. */
function byStride(
  strides: ReturnType<typeof stridesOf>,
  source: BagSource,
  index: number,
): Choices {
  const items = strides.map(({ stride, count }) => ({
    label: words.choices.stride(stride),
    about: words.choices.patches(count),
    index,
    source: { ...source, patch: { ...source.patch, stride } },
  }));
  return { title: words.choices.strides, items };
}

/** The answers to the question that an error asks, one for each line; none for every other error. */
export function answersOf(error: unknown): { value: string; meaning: string }[] {
  const lines = error instanceof BagscopeError && error.details.answers;
  if (typeof lines !== 'string' || lines === '') return [];
  return lines.split('\n').map((line) => {
    const [value = '', meaning = ''] = line.split('\t');
    return { value, meaning };
  });
}

/** The answers of an error as ways to read the files of a source. */
function byAnswer(
  answers: ReturnType<typeof answersOf>,
  option: string,
  source: BagSource,
  index: number,
): Choices {
  const items = answers.map(({ value, meaning }) => ({
    label: words.choices.answer(meaning),
    about: `${option}: ${value}`,
    index,
    source: { ...source, stated: { ...source.stated, [option]: value } },
  }));
  return { title: words.choices.answers, items };
}

/**
 * Why files could not be opened, with what the user can choose to open them. After an array that
 * cannot be used, the arrays are offered again. `index` is the bag that was to be shown, and `kept`
 * says what is still open.
 */
export function refusal(
  error: unknown,
  source: BagSource,
  index: number,
  model: ModelInfo | null,
  kept: string,
): Problem {
  const table = tableOf(source) ? { source, index } : undefined;
  const problem = { ...describe(error, kept), ...(table && { table }) };
  const arrays = arraysOf(error);
  if (arrays.length > 0) {
    const text = words.choices.several(brief(source.name), source.array && brief(source.array));
    return {
      title: words.choices.arrays,
      text: [text, kept].filter(Boolean).join(' '),
      choices: byArray(arrays, source, index, model),
      asks: true,
    };
  }
  const answers = answersOf(error);
  if (answers.length > 0 && error instanceof BagscopeError) {
    const { file, question, option } = error.details;
    return {
      title: words.choices.asks,
      text: [`${brief(String(file))}: ${question}.`, kept].filter(Boolean).join(' '),
      choices: byAnswer(answers, String(option), source, index),
      ...(table && { table }),
      asks: true,
    };
  }
  if (source.arrays) return { ...problem, choices: byArray(source.arrays, source, index, model) };
  const strides = stridesOf(error);
  if (strides.length > 0) return { ...problem, choices: byStride(strides, source, index) };
  return model ? { ...problem, unfit: true } : problem;
}

/** Asks which of several models is meant, after they could not be opened as one. */
export function whichModel(
  error: unknown,
  models: readonly (ModelSource | ModelFile)[],
  kept: string | null,
): Problem {
  const items = models.map((model) => ({
    label: brief(model.name),
    about: '',
    index: 0,
    source: null,
    model: { ...model, folds: undefined },
  }));
  const { text } = describe(error, [words.folds.differ, kept].filter(Boolean).join(' '));
  return { title: words.folds.which, text, choices: { title: words.folds.one, items }, asks: true };
}

/** A card that states one key more. */
export const withKey = (card: string | undefined, key: { pool: string } | { via: string }) =>
  JSON.stringify({ ...(card ? (JSON.parse(card) as object) : {}), ...key });

/** The values of a card's key `pool` that the page offers. */
const poolings = ['mean', 'max', 'top:10', 'noisy-or', 'lse', 'vote'] as const;

/**
 * Why a model was refused. If it takes a covariate of the bag, the user enters it. If it may judge
 * each instance by itself, the user chooses how its scores are combined; the choice stands in its
 * card from then on, and in the card of each of several models.
 */
export function modelRefusal(
  error: unknown,
  model: ModelSource | ModelFile | null,
  kept: string,
): Problem {
  const problem = describe(error, kept);
  if (model?.folds?.length && error instanceof BagscopeError && error.details.setting === 'model')
    return whichModel(error, [model, ...model.folds], kept);
  const covariate = error instanceof BagscopeError && error.details.covariate;
  if (covariate) {
    const text = [words.inputs.missing(brief(String(covariate))), kept].filter(Boolean).join(' ');
    return { title: words.inputs.asks, text, asks: true };
  }
  if (!(error instanceof BagscopeError && error.details.unpooled === true) || !model)
    return problem;
  const items = poolings.map((pool) => ({
    label: words.pool[pool],
    about: `"pool": "${pool}"`,
    index: 0,
    source: null,
    model: eachModel(model, ({ card }) => ({ card: withKey(card, { pool }) })),
  }));
  const text = [words.pool.text(noun()), kept].filter(Boolean).join(' ');
  return { title: words.pool.title, text, choices: { title: words.pool.how, items }, asks: true };
}
