// What the article's bags, controls and figures say. The prose is in article.ts.
import { percent, plain } from '../../lib/format';

/** How an instance of a known label is called, by the noun of its bag. */
const names: Record<string, (label: number) => string> = {
  digit: (label) => (label === 8 ? 'an 8' : `a ${label}`),
  moment: (label) => ['an ordinary one', 'too hot', 'shaking'][label] ?? '',
  patch: (label) => ['of other nuclei', 'of a gland', 'of a gland and others'][label] ?? '',
};
const groups: Record<string, (label: number) => string> = {
  digit: (label) => `${label}s`,
  moment: (label) => ['ordinary moments', 'hot moments', 'shaking moments'][label] ?? '',
  patch: (label) =>
    ['patches without a gland', 'patches of glands', 'patches with a gland in them'][label] ?? 'patches',
};

/** The prepared bags: their names, and what to look at. */
const bagTexts: Record<string, { title: string; story: string }> = {
  both: {
    title: 'Two 8s and two 9s',
    story:
      'Each 8 has a twin, and each 9 too. Take one of them out and nothing happens; take its twin as well and the answer turns.',
  },
  eights: {
    title: 'Two 8s',
    story: 'No 9 far and wide. One 8 is enough for the answer, so that neither of the two is missed alone.',
  },
  wrong: {
    title: 'Misread',
    story:
      'Five 8s and a 9, and the model says “an 8”. Look at the class “an 8 and a 9”: did it see the 9 at all?',
  },
  neither: {
    title: 'Neither',
    story:
      'No 8 and no 9: what is there to point at, when the answer is that nothing was found? Every digit supports it a little.',
  },
  tissue: {
    title: 'Tissue',
    story:
      'A piece of tissue under the microscope, drawn and not a patient’s, in patches. Glands are rings of large pale nuclei; the model was only ever told which slides hold one.',
  },
  machine: {
    title: 'Vectors',
    story:
      'No pictures: temperature and vibration of a machine at 24 moments, each a point in the plane. Two were too hot, one shook. This model takes the maximum over the bag and has no attention.',
  },
};
/** What one instance is called, and several, by the noun of the bag. */
const nouns: Record<string, readonly [one: string, many: string]> = {
  digit: ['digit', 'digits'],
  moment: ['moment', 'moments'],
  patch: ['patch', 'patches'],
};

export const learn = {
  bagTexts,
  noun: (noun: string) => nouns[noun]?.[0] ?? noun,
  nouns: (noun: string) => nouns[noun]?.[1] ?? noun,
  name: (noun: string, label: number | undefined) =>
    label === undefined ? '' : (names[noun]?.(label) ?? ''),
  group: (noun: string, label: number) => groups[noun]?.(label) ?? '',
  instance: (noun: string, i: number, label: number | undefined) => {
    const name = learn.name(noun, label);
    return `${learn.noun(noun)} ${i}${name && `, ${name}`}`;
  },
  /** `evident` is whether chance does not explain the score. */
  verdict: (score: number, className: string, evident = true) => {
    if (!evident) return `is not distinguishable from 0 for “${className}”`;
    if (!Number.isFinite(score) || Math.abs(score) < 0.0005) return `says nothing of “${className}”`;
    return `${score > 0 ? 'supports' : 'refutes'} “${className}” by ${plain(Math.abs(score))}`;
  },
  out: 'out of the bag',
  bags: 'Choose a bag',
  bag: (noun: string) => `The bag: choose a ${noun} to take it out or put it back`,
  keys: 'Arrow keys go from one to the next, Enter takes it out of the bag or puts it back.',
  answer: 'What the model says; choose the class to be explained',
  was: (p: number) => `was ${percent(p)}`,
  allBack: 'Put all back',
  takeOne: (name: string) => `Take out one of the ${name}`,
  takeOnly: (name: string) => `Take out ${name}`,
  takeAll: (n: number, name: string) => `Take out ${n === 2 ? 'both' : `all ${n}`} ${name}`,
  taken: (what: string) => `without ${what}`,
  whole: 'the whole bag',
  loading:
    'The figures show stored results; the engine is on its way, and they answer you as soon as it is here.',
  asleep: 'Waiting for the engine …',
  failed: 'The engine could not be started. The figures keep to their stored results.',
  play: 'Play',
  pause: 'Pause',
  again: 'Draw others',
  seed: 'Seed',
  samples: 'Coalitions asked',
  alpha: 'α, chance of the first rank',
  beta: 'β, bend',
  reset: 'The paper’s values',
  vanished: 'Taken away',
  order: 'in the order of',
  random: 'at random, mean of 10 orders',
  formula: 'A formula, wider than the text',
  asTable: 'As a table',
  none: 'This model has none.',
  support: 'supports',
  refute: 'refutes',
  attention: 'Attention',
  moved: (instance: string, back: boolean) => `${instance} is ${back ? 'back' : 'out'}.`,
  told: (what: string, className: string, p: number) => `${what} “${className}” is now at ${percent(p)}.`,
  noEmpty: 'One has to stay: a model takes no empty bag.',
} as const;
