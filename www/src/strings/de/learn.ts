import { texts } from '../../../../wasm/npm/src/element/texts/de.ts';
import { number, percent, plain } from '../../lib/format.ts';
import type { Strings } from '../index.ts';

const names: Record<string, (label: number) => string> = {
  digit: (label) => `eine ${label}`,
  moment: (label) => ['normal', 'zu heiß', 'Erschütterung'][label] ?? '',
  patch: (label) => ['mit anderen Kernen', 'einer Drüse', 'einer Drüse und anderem'][label] ?? '',
};
const groups: Record<string, (label: number) => string> = {
  digit: (label) => `Ziffern ${label}`,
  moment: (label) =>
    ['normale Zeitpunkte', 'heiße Zeitpunkte', 'Zeitpunkte mit Erschütterung'][label] ?? '',
  patch: (label) =>
    ['Ausschnitte ohne Drüse', 'Ausschnitte von Drüsen', 'Ausschnitte mit einer Drüse darin'][
      label
    ] ?? 'Ausschnitte',
};
const nouns: Record<string, readonly [one: string, many: string]> = {
  digit: ['Ziffer', 'Ziffern'],
  moment: ['Zeitpunkt', 'Zeitpunkte'],
  patch: ['Ausschnitt', 'Ausschnitte'],
};

export const learn: Strings['learn'] = {
  classes: {
    'neither 8 nor 9': 'weder 8 noch 9',
    'an 8': 'eine 8',
    'a 9': 'eine 9',
    'an 8 and a 9': 'eine 8 und eine 9',
    'no gland': 'keine Drüse',
    'a gland': 'eine Drüse',
    sound: 'in Ordnung',
    'running hot': 'läuft heiß',
    'worn bearing': 'Lager verschlissen',
    'hot and worn': 'heiß und verschlissen',
  },
  methods: texts.methods,
  skipped: () => 'Diese Methode gibt es für dieses Modell nicht.',
  trusted: (trust, at) => texts.trusted({ trust, at, unit: 'probability', draws: false }),
  bagTexts: {
    both: {
      title: 'Zwei 8en und zwei 9en',
      story:
        'Dieser Beutel enthält zwei 8en und zwei 9en. Entfernen Sie eine 8: Die Vorhersage ' +
        'bleibt. Entfernen Sie auch die andere: Sie ändert sich.',
    },
    eights: {
      title: 'Zwei 8en',
      story:
        'Dieser Beutel enthält keine 9. Eine 8 genügt für die Vorhersage, deshalb können Sie ' +
        'jede der beiden entfernen.',
    },
    wrong: {
      title: 'Falsch gelesen',
      story:
        'Dieser Beutel enthält fünf 8en und eine 9, aber das Modell sagt „eine 8“ vorher. Wählen ' +
        'Sie die Klasse „eine 8 und eine 9“, um die Bewertung der 9 zu sehen.',
    },
    neither: {
      title: 'Weder noch',
      story:
        'Dieser Beutel enthält keine 8 und keine 9. Jede Ziffer spricht ein wenig für die Klasse ' +
        '„weder 8 noch 9“.',
    },
    tissue: {
      title: 'Gewebe',
      story:
        'Ausschnitte eines gezeichneten Gewebestücks; es stammt nicht von Patienten. Drüsen sind ' +
        'Ringe aus großen, hellen Kernen. Das Modell wurde mit einem Etikett je Schnitt trainiert: ' +
        'ob er eine Drüse enthält.',
    },
    machine: {
      title: 'Vektoren',
      story:
        'Temperatur und Vibration einer Maschine zu 24 Zeitpunkten, jeder ein Punkt in der Ebene. ' +
        'Zweimal war sie zu heiß, einmal wurde sie erschüttert. Dieses Modell nimmt das Maximum ' +
        'über den Beutel und hat keine Attention.',
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
    if (!evident) return `hebt sich für „${className}“ nicht von 0 ab`;
    if (!Number.isFinite(score) || Math.abs(score) < 0.0005)
      return `spricht weder für noch gegen „${className}“`;
    return `spricht mit ${plain(Math.abs(score))} ${score > 0 ? 'für' : 'gegen'} „${className}“`;
  },
  out: 'entfernt',
  bags: 'Einen Beutel wählen',
  bag: (noun) => `Der Beutel: ${learn.noun(noun)} wählen, um zu entfernen oder zurückzulegen`,
  answer: 'Vorhersagen; wählen Sie die Klasse, die erklärt wird',
  was: (p) => `vorher ${percent(p)}`,
  allBack: 'Alle zurücklegen',
  takeOne: (name) => `Eine entfernen: ${name}`,
  takeOnly: (name) => `Entfernen: ${name}`,
  takeAll: (n, name) => `${n === 2 ? 'Beide' : `Alle ${n}`} entfernen: ${name}`,
  taken: (what) => `ohne ${what}`,
  whole: 'der ganze Beutel',
  loading:
    'Die Abbildungen zeigen gespeicherte Ergebnisse. Sie werden interaktiv, sobald das Programm ' +
    'geladen ist.',
  asleep: 'Warten auf das Programm …',
  failed:
    'Das Programm konnte nicht gestartet werden. Die Abbildungen zeigen gespeicherte Ergebnisse.',
  play: 'Abspielen',
  pause: 'Anhalten',
  again: 'Andere ziehen',
  seed: 'Startwert',
  samples: 'Zahl der Koalitionen',
  alpha: 'α, Wahrscheinlichkeit des ersten Rangs',
  beta: 'β, Biegung',
  reset: 'Werte der Veröffentlichung verwenden',
  vanished: 'Entfernte Instanzen',
  order: 'in der Reihenfolge von',
  random: 'zufällige Reihenfolge, Mittel von 10',
  asFormula: 'Dasselbe als Formel',
  formula: 'Formel, verschiebbar',
  asTable: 'Als Tabelle zeigen',
  none: 'Dieses Modell hat keine Attention.',
  attention: 'Attention',
  moved: (instance, back) => `${instance} ist ${back ? 'zurückgelegt' : 'entfernt'}.`,
  told: (what, className, p) => `${what} „${className}“ steht jetzt bei ${percent(p)}.`,
  noEmpty:
    'Mindestens eine Instanz muss bleiben: Für einen leeren Beutel kann kein Modell etwas vorhersagen.',
};
