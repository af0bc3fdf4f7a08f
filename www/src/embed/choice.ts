// What the builder holds, the attributes that say it, and the link that brings it back.
import { defaultMethod, type MethodName, type SettingsName } from 'bagscope';

/**
 * The examples that come with the site, and what suits each. Addresses are relative to the page.
 */
export const examples = {
  digits: { folder: '../example/', settings: 'mnist' },
  tissue: { folder: '../example/tissue/', settings: 'crc' },
  machine: { folder: '../example/machine/', settings: '' },
} as const;

export type Source = keyof typeof examples | 'own';

export interface Choice {
  source: Source;
  /** Files of the reader's own, where that is the source. */
  model: File | null;
  bag: File | null;
  /** A card of its own, or null. */
  card: File | null;
  index: number;
  method: MethodName;
  settings: SettingsName | '';
  /** What the attribute holds: 'all', 'predicted', or numbers. */
  classes: string;
  kind: '' | 'strip' | 'overlay' | 'map' | 'bars';
  theme: '' | 'light' | 'dark';
  interactive: boolean;
}

export const usual: Readonly<Choice> = {
  source: 'digits',
  model: null,
  bag: null,
  card: null,
  index: 0,
  method: defaultMethod,
  settings: 'mnist',
  classes: 'all',
  kind: '',
  theme: '',
  interactive: true,
};

/** The choice with another source, and what suits that. */
export function turnTo(choice: Choice, source: Source): Choice {
  return {
    ...choice,
    source,
    index: 0,
    settings: source === 'own' ? '' : examples[source].settings,
  };
}

/** Whether there is something to explain. */
export function complete({ source, model, bag }: Choice): boolean {
  return source !== 'own' || (model !== null && bag !== null);
}

/** The attributes of the element without its addresses, in the order in which they are written. */
export function attributes(choice: Choice): [name: string, value: string][] {
  const { index, method, settings, classes, kind, theme, interactive } = choice;
  const all: [string, string][] = [
    ['index', index > 0 ? String(index) : ''],
    ['method', method === defaultMethod ? '' : method],
    ['settings', settings],
    ['classes', classes === 'all' ? '' : classes.trim()],
    ['kind', kind],
    ['theme', theme],
  ];
  const said = all.filter(([, value]) => value !== '');
  return interactive ? [...said, ['interactive', '']] : said;
}

/** The choice as the hash of a link; files of the reader's own are in no link. */
export function encode(choice: Choice): string {
  const said = new URLSearchParams();
  if (choice.source !== usual.source) said.set('source', choice.source);
  for (const [name, value] of attributes(choice)) said.set(name, value);
  if (!choice.interactive) said.set('interactive', 'no');
  if (!choice.settings) said.set('settings', '');
  return said.toString();
}

/** Reads a hash; what it does not say, or says of nothing known, is as usual. */
export function decode(
  hash: string,
  known: { methods: readonly string[]; settings: readonly string[] },
): Choice {
  const said = new URLSearchParams(hash.replace(/^#/, ''));
  const one = <T extends string>(name: string, among: readonly string[], other: T): T => {
    const value = said.get(name);
    return value !== null && among.includes(value) ? (value as T) : other;
  };
  const source = one<Source>('source', Object.keys(examples), usual.source);
  const choice = turnTo({ ...usual }, source);
  const index = Number(said.get('index'));
  return {
    ...choice,
    index: Number.isSafeInteger(index) && index > 0 ? index : 0,
    method: one('method', known.methods, choice.method),
    settings: one('settings', ['', ...known.settings], choice.settings),
    classes: /^(predicted|\d+(,\d+)*)$/.test(said.get('classes') ?? '')
      ? said.get('classes')!
      : 'all',
    kind: one('kind', ['strip', 'overlay', 'map', 'bars'], ''),
    theme: one('theme', ['light', 'dark'], ''),
    interactive: said.get('interactive') !== 'no',
  };
}
