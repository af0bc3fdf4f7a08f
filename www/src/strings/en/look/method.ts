// The form that asks for an explanation: method, settings, names of classes, progress.
import type { MethodOption } from 'bagscope';
import { count } from '../../../lib/format.ts';
import { plural, type Noun } from '../phrases.ts';

export const method = {
  method: {
    title: 'Method',
    ask: (noun: Noun) => `How to score ${noun.several}`,
    all: 'All methods, to compare',
    cost: (noun: Noun, cost: string) =>
      `Evaluates the model ${cost} ${cost === '1' ? 'time' : 'times'} (k ${noun.several}, n samples).`,
    allHint:
      'All methods share the evaluations of the model. Methods that do not work with ' +
      'this model are listed.',
    drawn: 'Method drawn',
    classes: 'Classes drawn',
    allClasses: (n: number) => `Show all ${n}`,
  },

  settings: {
    paper: 'Settings of the paper for',
    none: 'none, the defaults',
    more: 'More settings',
    seed: 'Seed',
    seedHint: 'The same seed gives the same picture.',
    output: 'Explained value',
    probability: 'probability',
    logit: 'logit',
    standard: 'default',
  },

  fields: {
    // Texts that differ from those of the engine's declaration.
    own: {
      coalitions: {
        hint: 'One line of 0 and 1 for each coalition, instead of sampled coalitions.',
      },
    } as Partial<Record<MethodOption, { label?: string; hint?: string }>>,
    standard: 'default',
    noChoice: (text: string) => `“${text}” is not a choice`,
    noNumber: (text: string) => `“${text}” is not a number`,
    whole: 'must be a whole number',
    least: (n: number) => `must be at least ${n}`,
    most: (n: number) => `must be at most ${n}`,
    above: (n: number) => `must be above ${n}`,
    below: (n: number) => `must be below ${n}`,
    line: (n: number) => `line ${n} must hold only 0 and 1`,
  },

  classNames: {
    title: 'Class names',
    hint:
      'The picture, the tables and the saved files use these names. Save a card to keep ' +
      'them, and drop it together with the model.',
    one: (c: number) => `Class ${c}`,
    edit: 'Rename the class',
    save: 'Save card',
    reset: 'Restore names',
  },

  run: {
    explain: 'Explain',
    stages: {
      starting: 'Starting the engine',
      reading: 'Reading',
      decoding: 'Decoding the picture',
      cutting: 'Cutting the picture into patches',
      encoding: 'Encoding the bag',
      explaining: 'Evaluating coalitions',
    },
    done: (n: number, all: number) => `${count(n)} of ${count(all)}`,
    share: (part: number) => `${Math.round(100 * part)} %`,
    left: (seconds: number) =>
      seconds < 90
        ? `, about ${plural(seconds, 'second')} left`
        : `, about ${plural(Math.round(seconds / 60), 'minute')} left`,
    cancel: 'Stop',
  },
};
