import { texts } from '../../../../wasm/npm/src/element/texts/fr.ts';
import { number, percent, plain } from '../../lib/format.ts';
import type { Strings } from '../index.ts';

const names: Record<string, (label: number) => string> = {
  digit: (label) => `un ${label}`,
  moment: (label) => ['normal', 'trop chaud', 'avec secousse'][label] ?? '',
  patch: (label) => ['d’autres noyaux', 'd’une glande', 'd’une glande et d’autres'][label] ?? '',
};
const groups: Record<string, (label: number) => string> = {
  digit: (label) => `chiffres ${label}`,
  moment: (label) =>
    ['moments normaux', 'moments trop chauds', 'moments avec secousse'][label] ?? '',
  patch: (label) =>
    ['vignettes sans glande', 'vignettes de glandes', 'vignettes avec une glande'][label] ??
    'vignettes',
};
const nouns: Record<string, readonly [one: string, many: string]> = {
  digit: ['chiffre', 'chiffres'],
  moment: ['moment', 'moments'],
  patch: ['vignette', 'vignettes'],
};

export const learn: Strings['learn'] = {
  classes: {
    'neither 8 nor 9': 'ni 8 ni 9',
    'an 8': 'un 8',
    'a 9': 'un 9',
    'an 8 and a 9': 'un 8 et un 9',
    'no gland': 'pas de glande',
    'a gland': 'une glande',
    sound: 'en bon état',
    'running hot': 'en surchauffe',
    'worn bearing': 'palier usé',
    'hot and worn': 'surchauffe et usure',
  },
  methods: texts.methods,
  skipped: () => 'Cette méthode n’existe pas pour ce modèle.',
  trusted: (trust, at) => texts.trusted({ trust, at, unit: 'probability', draws: false }),
  bagTexts: {
    both: {
      title: 'Deux 8 et deux 9',
      story:
        'Ce sac contient deux 8 et deux 9. Retirez un 8 : la prédiction reste. Retirez aussi l’autre : ' +
        'elle change.',
    },
    eights: {
      title: 'Deux 8',
      story:
        'Ce sac ne contient pas de 9. Un 8 suffit à la prédiction : vous pouvez donc retirer l’un ou ' +
        'l’autre.',
    },
    wrong: {
      title: 'Mal lu',
      story:
        'Ce sac contient cinq 8 et un 9, mais le modèle prédit « un 8 ». Choisissez la classe « un 8 et ' +
        'un 9 » pour voir le score du 9.',
    },
    neither: {
      title: 'Ni l’un ni l’autre',
      story:
        'Ce sac ne contient ni 8 ni 9. Chaque chiffre soutient un peu la classe « ni 8 ni 9 ».',
    },
    tissue: {
      title: 'Tissu',
      story:
        'Vignettes d’un morceau de tissu dessiné ; il ne vient pas d’un patient. Les glandes sont des ' +
        'anneaux de grands noyaux pâles. Le modèle a été entraîné avec une étiquette par lame : si elle ' +
        'contient une glande.',
    },
    machine: {
      title: 'Vecteurs',
      story:
        'Température et vibration d’une machine à 24 moments, chacun un point du plan. À deux moments ' +
        'elle était trop chaude, à un moment elle a été secouée. Ce modèle prend le maximum sur le sac ' +
        'et n’a pas d’attention.',
    },
  },
  noun: (noun) => nouns[noun]?.[0] ?? noun,
  nouns: (noun) => nouns[noun]?.[1] ?? noun,
  name: (noun, label) => (label === undefined ? '' : (names[noun]?.(label) ?? '')),
  group: (noun, label) => groups[noun]?.(label) ?? '',
  instance: (noun, i, label) => {
    const name = learn.name(noun, label);
    return `${learn.noun(noun)} ${number(i)}${name && `, ${name}`}`;
  },
  verdict: (score, className, evident = true) => {
    if (!evident) return `ne se démarque pas de 0 pour « ${className} »`;
    if (!Number.isFinite(score) || Math.abs(score) < 0.0005)
      return `ni ne soutient ni ne réfute « ${className} »`;
    return `${score > 0 ? 'soutient' : 'réfute'} « ${className} » de ${plain(Math.abs(score))}`;
  },
  out: 'retiré du sac',
  bags: 'Choisir un sac',
  bag: (noun) => `Le sac : choisir (${learn.noun(noun)}) pour retirer ou remettre`,
  answer: 'Prédictions ; choisissez la classe à expliquer',
  was: (p) => `avant : ${percent(p)}`,
  allBack: 'Tout remettre',
  takeOne: (name) => `Retirer parmi : ${name}`,
  takeOnly: (name) => `Retirer : ${name}`,
  takeAll: (n, name) => `Retirer les ${n} ${name}`,
  taken: (what) => `sans ${what}`,
  whole: 'le sac entier',
  loading:
    'Les figures montrent des résultats enregistrés. Elles deviennent interactives quand le programme ' +
    'est chargé.',
  asleep: 'En attente du programme…',
  failed: 'Le programme n’a pas pu démarrer. Les figures montrent des résultats enregistrés.',
  play: 'Lecture',
  pause: 'Pause',
  again: 'En tirer d’autres',
  seed: 'Graine',
  samples: 'Nombre de coalitions',
  alpha: 'α, probabilité du premier rang',
  beta: 'β, courbure',
  reset: 'Prendre les valeurs de la publication',
  vanished: 'Instances retirées',
  order: 'dans l’ordre de',
  random: 'ordre aléatoire, moyenne de 10',
  asFormula: 'La même chose en formule',
  formula: 'Formule, à faire défiler',
  asTable: 'Montrer comme tableau',
  none: 'Ce modèle n’a pas d’attention.',
  attention: 'Attention',
  moved: (instance, back) => `${back ? 'Remis' : 'Retiré'} : ${instance}.`,
  told: (what, className, p) => `${what} « ${className} » est maintenant à ${percent(p)}.`,
  noEmpty: 'Au moins une instance doit rester : un modèle ne peut rien prédire d’un sac vide.',
};
