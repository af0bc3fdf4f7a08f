// The options of the methods as fields of a form. The engine declares each option once: its kind,
// range, choices and texts come from there, unless strings/ has others.

import { methodOptions, type MethodOption, type OptionInfo } from 'bagscope';
import { look as words } from '../../strings';

const say = words.fields;

export type Kind = 'number' | 'flag' | 'choice' | 'lines';

/** One option in the form. */
export interface Field {
  /** Its name in the table of methods and in the engine's ExplainOptions. */
  name: MethodOption;
  kind: Kind;
  label: string;
  hint: string;
  range?: OptionInfo['range'];
  /** Only whole numbers. */
  whole: boolean;
  /** For a choice: values and words; '' is the method's own default. */
  choices?: [value: string, words: string][];
}

const kinds: Record<OptionInfo['kind'], Kind> = {
  integer: 'number',
  number: 'number',
  flag: 'flag',
  choice: 'choice',
  coalitions: 'lines',
};

const fields: Field[] = methodOptions.map((option) => ({
  name: option.name,
  kind: kinds[option.kind],
  label: option.title,
  hint: option.help,
  ...say.own[option.name],
  range: option.range,
  whole: option.kind === 'integer',
  choices: option.choices && choices(option.choices, option.standard),
}));

/** The choices of a form. The default one, or the word "default", has the value ''. */
function choices(
  list: NonNullable<OptionInfo['choices']>,
  standard: string,
): [value: string, words: string][] {
  const rest = list.filter(({ word }) => word !== standard);
  const usual = list.find(({ word }) => word === standard)?.title ?? say.standard;
  return [['', usual], ...rest.map(({ word, title }): [string, string] => [word, title])];
}

/** The form's fields for the options that a method takes, in the form's order. */
export function fieldsFor(options: readonly string[]): Field[] {
  return fields.filter((f) => options.includes(f.name));
}

/**
 * What the fields of a form mean to the engine. A field left empty is not given, so that defaults
 * hold.
 */
export type Values = Record<string, string | number | boolean | string[]>;

/** A field whose text is no value. */
export class FieldError extends Error {
  constructor(
    readonly field: Field,
    readonly reason: string,
  ) {
    super(`${field.label}: ${reason}`);
  }
}

/** Reads the texts of a form, by field name, for a method with these options. Throws FieldError. */
export function read(options: readonly string[], texts: Readonly<Record<string, string>>): Values {
  const out: Values = {};
  for (const field of fieldsFor(options)) {
    const text = (texts[field.name] ?? '').trim();
    if (text !== '') out[field.name] = parse(field, text);
  }
  return out;
}

/** Says what is wrong with the text of one field, '' when nothing is. */
export function check(field: Field, text: string): string {
  try {
    if (text.trim() !== '') parse(field, text.trim());
    return '';
  } catch (error) {
    return error instanceof FieldError ? error.reason : String(error);
  }
}

function parse(field: Field, text: string): string | number | boolean | string[] {
  switch (field.kind) {
    case 'flag':
      return text === 'yes';
    case 'choice':
      if (!field.choices?.some(([value]) => value === text))
        throw new FieldError(field, say.noChoice(text));
      return text;
    case 'lines':
      return lines(field, text);
    case 'number':
      return number(field, text);
  }
}

function number(field: Field, text: string): number {
  const n = Number(text);
  if (!Number.isFinite(n)) throw new FieldError(field, say.noNumber(text));
  if (field.whole && !Number.isSafeInteger(n)) throw new FieldError(field, say.whole);
  const { least = null, most = null, open = false } = field.range ?? {};
  if (least !== null && (open ? n <= least : n < least))
    throw new FieldError(field, open ? say.above(least) : say.least(least));
  if (most !== null && (open ? n >= most : n > most))
    throw new FieldError(field, open ? say.below(most) : say.most(most));
  return n;
}

function lines(field: Field, text: string): string[] {
  const rows = text.split(/\s+/).filter((row) => row !== '');
  const wrong = rows.findIndex((row) => !/^[01]+$/.test(row));
  if (wrong >= 0) throw new FieldError(field, say.line(wrong + 1));
  return rows;
}
