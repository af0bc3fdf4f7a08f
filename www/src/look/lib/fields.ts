// How the options of the methods look in a form. Which of them a method takes stands in the engine's
// table of methods; here stands only how one is shown and read.

import { look as words } from '../../strings';

const say = words.fields;

export type Kind = 'number' | 'flag' | 'choice' | 'lines';

/** One option in the form. */
export interface Field {
  /** Its name in the table of methods and in the engine's ExplainOptions. */
  name: string;
  kind: Kind;
  label: string;
  hint: string;
  min?: number;
  max?: number;
  step?: number | 'any';
  /** For a choice: values and words; '' is the method's own default. */
  choices?: [value: string, words: string][];
}

const fields: Field[] = [
  {
    name: 'samples',
    kind: 'number',
    label: say.samples.label,
    hint: say.samples.hint,
    min: 1,
    max: 100_000_000,
    step: 1,
  },
  {
    name: 'alpha',
    kind: 'number',
    label: say.alpha.label,
    hint: say.alpha.hint,
    min: 0,
    max: 1,
    step: 'any',
  },
  {
    name: 'beta',
    kind: 'number',
    label: say.beta.label,
    hint: say.beta.hint,
    step: 'any',
  },
  {
    name: 'meanBag',
    kind: 'number',
    label: say.meanBag.label,
    hint: say.meanBag.hint,
    min: 1,
    step: 1,
  },
  {
    name: 'distance',
    kind: 'choice',
    label: say.distance.label,
    hint: say.distance.hint,
    choices: [
      ['', say.standard],
      ['l2', say.l2],
      ['cosine', say.cosine],
    ],
  },
  {
    name: 'rank',
    kind: 'choice',
    label: say.rank.label,
    hint: say.rank.hint,
    choices: [
      ['', say.standard],
      ['negative-class', say.negative],
      ['explained-class', say.explained],
    ],
  },
  {
    name: 'efficiency',
    kind: 'choice',
    label: say.efficiency.label,
    hint: say.efficiency.hint,
    choices: [
      ['', say.none],
      ['uniform', say.uniform],
      ['zero', say.zero],
    ],
  },
  {
    name: 'preset',
    kind: 'choice',
    label: say.preset.label,
    hint: say.preset.hint,
    choices: [
      ['', say.ours],
      ['paper', say.printed],
      ['reference', say.coded],
    ],
  },
  { name: 'paired', kind: 'flag', label: say.paired.label, hint: say.paired.hint },
  {
    name: 'repeats',
    kind: 'flag',
    label: say.repeats.label,
    hint: say.repeats.hint,
  },
  {
    name: 'coalitions',
    kind: 'lines',
    label: say.coalitions.label,
    hint: say.coalitions.hint,
  },
];

/** The form's fields for the options that a method takes, in the form's order. */
export function fieldsFor(options: readonly string[]): Field[] {
  return fields.filter((f) => options.includes(f.name));
}

/** What the fields of a form mean to the engine. A field left empty is not given, so that defaults hold. */
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
  if (field.step === 1 && !Number.isInteger(n)) throw new FieldError(field, say.whole);
  if (field.min !== undefined && n < field.min) throw new FieldError(field, say.least(field.min));
  if (field.max !== undefined && n > field.max) throw new FieldError(field, say.most(field.max));
  return n;
}

function lines(field: Field, text: string): string[] {
  const rows = text.split(/\s+/).filter((row) => row !== '');
  const wrong = rows.findIndex((row) => !/^[01]+$/.test(row));
  if (wrong >= 0) throw new FieldError(field, say.line(wrong + 1));
  return rows;
}
