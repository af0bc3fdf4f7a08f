// How the options of the methods look in a form. Which of them a method takes stands in the engine's
// table of methods; here stands only how one is shown and read.

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
    label: 'Samples',
    hint: 'How many coalitions are drawn.',
    min: 1,
    max: 100_000_000,
    step: 1,
  },
  {
    name: 'alpha',
    kind: 'number',
    label: 'Alpha',
    hint: 'How often the top-ranked instance is drawn, between 0 and 1.',
    min: 0,
    max: 1,
    step: 'any',
  },
  {
    name: 'beta',
    kind: 'number',
    label: 'Beta',
    hint: 'How the drawing curve bends; below 0 draws fewer.',
    step: 'any',
  },
  {
    name: 'meanBag',
    kind: 'number',
    label: 'Mean bag size',
    hint: 'Sets how far LIME looks; this bag’s size unless given.',
    min: 1,
    step: 1,
  },
  {
    name: 'distance',
    kind: 'choice',
    label: 'Distance',
    hint: 'How far a coalition is from the bag.',
    choices: [
      ['', 'default'],
      ['l2', 'missing instances (L2)'],
      ['cosine', 'cosine'],
    ],
  },
  {
    name: 'rank',
    kind: 'choice',
    label: 'Rank by',
    hint: 'What instances are ordered by before drawing.',
    choices: [
      ['', 'default'],
      ['negative-class', 'against the negative class'],
      ['explained-class', 'for the explained class'],
    ],
  },
  {
    name: 'efficiency',
    kind: 'choice',
    label: 'Sum constraint',
    hint: 'Makes scores sum to the prediction minus a value of the empty bag.',
    choices: [
      ['', 'none'],
      ['uniform', 'empty bag: 1 / classes'],
      ['zero', 'empty bag: 0'],
    ],
  },
  {
    name: 'preset',
    kind: 'choice',
    label: 'Conventions',
    hint: 'Where the paper’s print and its code differ.',
    choices: [
      ['', 'ours'],
      ['paper', 'as printed in the paper'],
      ['reference', 'as in the paper’s code'],
    ],
  },
  { name: 'paired', kind: 'flag', label: 'Paired draws', hint: 'Each draw is followed by its complement.' },
  {
    name: 'repeats',
    kind: 'flag',
    label: 'Keep repeats',
    hint: 'Coalitions that come up again count again.',
  },
  {
    name: 'coalitions',
    kind: 'lines',
    label: 'Own coalitions',
    hint: 'One line of 0 and 1 for each coalition; takes the place of drawing.',
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
        throw new FieldError(field, `“${text}” is no choice`);
      return text;
    case 'lines':
      return lines(field, text);
    case 'number':
      return number(field, text);
  }
}

function number(field: Field, text: string): number {
  const n = Number(text);
  if (!Number.isFinite(n)) throw new FieldError(field, `“${text}” is no number`);
  if (field.step === 1 && !Number.isInteger(n)) throw new FieldError(field, 'needs a whole number');
  if (field.min !== undefined && n < field.min) throw new FieldError(field, `needs at least ${field.min}`);
  if (field.max !== undefined && n > field.max) throw new FieldError(field, `needs at most ${field.max}`);
  return n;
}

function lines(field: Field, text: string): string[] {
  const rows = text.split(/\s+/).filter((row) => row !== '');
  const wrong = rows.findIndex((row) => !/^[01]+$/.test(row));
  if (wrong >= 0) throw new FieldError(field, `line ${wrong + 1} holds more than 0 and 1`);
  return rows;
}
