// The texts of the article's bags, controls and figures. The prose is in article.ts.
import type { MethodName, Trust } from 'bagscope';
import { number, percent, plain, withMinus } from '../../lib/format.ts';

/** The name of an instance by its label, for each noun of a bag. */
const names: Record<string, (label: number) => string> = {
  digit: (label) => (label === 8 ? 'an 8' : `a ${label}`),
  moment: (label) => ['normal', 'too hot', 'shaking'][label] ?? '',
  patch: (label) => ['of other nuclei', 'of a gland', 'of a gland and others'][label] ?? '',
};
const groups: Record<string, (label: number) => string> = {
  digit: (label) => `${label}s`,
  moment: (label) => ['normal moments', 'hot moments', 'shaking moments'][label] ?? '',
  patch: (label) =>
    ['patches without a gland', 'patches of glands', 'patches with a gland in them'][label] ??
    'patches',
};

/** The prepared bags: title and description. */
const bagTexts: Record<string, { title: string; story: string }> = {
  both: {
    title: 'Two 8s and two 9s',
    story:
      'This bag holds two 8s and two 9s. Remove one 8 and the prediction stays. Remove ' +
      'the other one too and it changes.',
  },
  eights: {
    title: 'Two 8s',
    story:
      'This bag holds no 9. One 8 is enough for the prediction, so you can remove either ' +
      'of the two.',
  },
  wrong: {
    title: 'Misread',
    story:
      'This bag holds five 8s and a 9, but the model predicts “an 8”. Choose the class ' +
      '“an 8 and a 9” to see the score of the 9.',
  },
  neither: {
    title: 'Neither',
    story:
      'This bag holds no 8 and no 9. Every digit supports the class “neither 8 nor 9” a ' +
      'little.',
  },
  tissue: {
    title: 'Tissue',
    story:
      'Patches of a drawn piece of tissue; it is not from a patient. Glands are rings of ' +
      'large pale nuclei. The model was trained with one label for each slide: whether ' +
      'it holds a gland.',
  },
  machine: {
    title: 'Vectors',
    story:
      'Temperature and vibration of a machine at 24 moments, each a point in the plane. ' +
      'At two moments it was too hot, at one it shook. This model takes the maximum over ' +
      'the bag and has no attention.',
  },
};
/** One instance and several, by the noun of the bag. */
const nouns: Record<string, readonly [one: string, many: string]> = {
  digit: ['digit', 'digits'],
  moment: ['moment', 'moments'],
  patch: ['patch', 'patches'],
};

export const learn = {
  /** Names of the examples' classes, and titles of methods, where they are not those of the files. */
  classes: {} as Readonly<Record<string, string>>,
  methods: {} as Readonly<Partial<Record<MethodName, string>>>,
  /** Why a method is not there. */
  skipped: (reason: string) => reason,
  trusted: (trust: Trust, at: number) => withMinus(trust.sentences[at] ?? ''),
  bagTexts,
  noun: (noun: string) => nouns[noun]?.[0] ?? noun,
  nouns: (noun: string) => nouns[noun]?.[1] ?? noun,
  name: (noun: string, label: number | undefined) =>
    label === undefined ? '' : (names[noun]?.(label) ?? ''),
  group: (noun: string, label: number) => groups[noun]?.(label) ?? '',
  instance: (noun: string, i: number, label: number | undefined) => {
    const name = learn.name(noun, label);
    return `${learn.noun(noun)} ${number(i)}${name && `, ${name}`}`;
  },
  /** The score in words; `evident` is false if it does not stand out. */
  verdict: (score: number, className: string, evident = true) => {
    if (!evident) return `does not stand out from 0 for “${className}”`;
    if (!Number.isFinite(score) || Math.abs(score) < 0.0005)
      return `neither supports nor refutes “${className}”`;
    return `${score > 0 ? 'supports' : 'refutes'} “${className}” by ${plain(Math.abs(score))}`;
  },
  out: 'removed',
  bags: 'Choose a bag',
  bag: (noun: string) => `The bag: choose a ${noun} to remove or restore it`,
  answer: 'Predictions; choose the class to explain',
  was: (p: number) => `was ${percent(p)}`,
  allBack: 'Restore all',
  takeOne: (name: string) => `Remove one of the ${name}`,
  takeOnly: (name: string) => `Remove ${name}`,
  takeAll: (n: number, name: string) => `Remove ${n === 2 ? 'both' : `all ${n}`} ${name}`,
  taken: (what: string) => `without ${what}`,
  whole: 'the whole bag',
  loading: 'The figures show stored results. They become interactive when the engine is loaded.',
  asleep: 'Waiting for the engine …',
  failed: 'The engine could not be started. The figures show stored results.',
  play: 'Play',
  pause: 'Pause',
  again: 'Draw others',
  seed: 'Seed',
  samples: 'Number of coalitions',
  alpha: 'α, probability of the first rank',
  beta: 'β, bend',
  reset: 'Use the paper’s values',
  vanished: 'Removed instances',
  order: 'in the order of',
  random: 'random order, mean of 10',
  asFormula: 'The same as a formula',
  formula: 'Formula, scrollable',
  asTable: 'Show as a table',
  none: 'This model has no attention.',
  attention: 'Attention',
  moved: (instance: string, back: boolean) => `${instance} is ${back ? 'restored' : 'removed'}.`,
  told: (what: string, className: string, p: number) =>
    `${what} “${className}” is now at ${percent(p)}.`,
  noEmpty: 'At least one instance must stay: a model cannot predict an empty bag.',
};
