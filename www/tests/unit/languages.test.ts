// The element's languages: plurals, lists, numbers, and that no phrase misses a value.
import type { Trust } from 'bagscope';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { completed } from '../../../wasm/npm/src/element/language.ts';
import type { Texts } from '../../../wasm/npm/src/element/texts.ts';
import { texts as ar } from '../../../wasm/npm/src/element/texts/ar.ts';
import { texts as de } from '../../../wasm/npm/src/element/texts/de.ts';
import { texts as es } from '../../../wasm/npm/src/element/texts/es.ts';
import { texts as fr } from '../../../wasm/npm/src/element/texts/fr.ts';
import { texts as zh } from '../../../wasm/npm/src/element/texts/zh.ts';

/** Without the marks that keep a part's direction. */
const bare = (text: string) => text.replace(/[\u2066-\u2069]/g, '');

const trust = (change: Partial<Record<keyof Trust, unknown>> = {}) =>
  ({
    method: 'milli',
    classes: [0],
    aopcr: { milli: [0.456], single: [0.2], one_removed: [-0.04] },
    beaten: [10],
    correlation: [0.7],
    shown: [2],
    sufficiency: [0.9],
    necessity: [0.00004],
    recoverability: [0.5],
    ranked: [3],
    least: [2],
    sentences: [''],
    ...change,
  }) as unknown as Trust;
const said = (texts: Texts, change = {}) =>
  texts.trusted({ trust: trust(change), at: 0, unit: 'probability', draws: true });

describe.each([de, es, fr, zh, ar].map((texts) => [texts.tag, texts] as const))('%s', (_, t) => {
  test('every sentence has all its values', () => {
    const sentences = [
      t.picture('b', 'm'),
      t.earlier('b', 'm'),
      t.hint('n'),
      t.engine(3.8e6, 0.42),
      t.unclear(1, 2),
      ...[0, 1, 2, 3, 11, 100].map(t.without),
      ...[NaN, 1, -1, 0.001].flatMap((x) => [
        t.score(0, 'x', x, true, 'log-odds', 'n'),
        t.score(0, 'x', x, false, 'months', 'n'),
      ]),
      ...[10, 9, 3].map((beaten) => said(t, { beaten: [beaten] })),
      ...[1, 0.97, 0.85, 0.6, 0.1].map((correlation) => said(t, { correlation: [correlation] })),
      said(t, { aopcr: {} }),
      said(t, { aopcr: { milli: [0.1], single: [0.5] }, recoverability: [null] }),
      ...[1, 2, 3, 11].map((shown) => said(t, { shown: [shown] })),
    ];
    for (const text of sentences) expect(text).not.toMatch(/[{}]|undefined|NaN|null/);
    expect(new Set(sentences).size).toBeGreaterThan(24);
  });

  test('a picture has the places of the English words', () => {
    const places: Partial<Record<keyof NonNullable<Texts['legend']>, number>> = {
      ...{ strongest: 2, largest: 1, largestIn: 2, full: 1, fullIn: 2, stated: 2, oneClass: 1 },
      ...{ shared: 2, bright: 4, byRank: 1, neutral: 1, fromZero: 2, fromNeutral: 2 },
      ...{ eachClass: 1, small: 1, beyond: 1, removed: 1, of: 2, more: 2 },
    };
    for (const [key, text] of Object.entries(t.legend!)) {
      const found = String(text).match(/\{\d\}/g) ?? [];
      const wanted = places[key as keyof typeof places] ?? 0;
      expect(found.sort(), key).toEqual([...Array(wanted).keys()].map((i) => `{${i}}`));
    }
  });
});

test('plurals', () => {
  expect([1, 2].map(de.without)).toEqual([
    'Vorhersage ohne eine Instanz',
    'Vorhersage ohne 2 Instanzen',
  ]);
  expect([1, 2, 3, 11, 100].map((n) => bare(ar.without(n)))).toEqual([
    'التنبؤ من دون مثيل واحد',
    'التنبؤ من دون مثيلين',
    'التنبؤ من دون 3 مثيلات',
    'التنبؤ من دون 11 مثيلًا',
    'التنبؤ من دون 100 مثيل',
  ]);
});

test('lists and numbers', () => {
  expect(said(de)).toContain('um 0,46 mehr');
  expect(said(de)).toContain('Einzeln 0,2 und Eine entfernt −0,04');
  expect(said(zh)).toContain('单个示例 0.2和移除一个 −0.04');
  expect(bare(said(ar))).toContain('مثيل واحد 0.2 وحذف واحد −0.04');
  expect(fr.engine(3.84e6, 0.4)).toBe('Chargement du programme, 3,8 Mo\u00a0: 40 %');
  expect(es.score(3, 'c', -0.0004, true, 'log-odds', 'corte')).toBe(
    'corte 4 refuta «c» con 4,0e−4 (log-odds)',
  );
});

test('texts of an earlier form, without a language, methods and nouns, are completed', () => {
  const texts = completed({ help: 'Hilfe' }, 'rtl');
  expect(texts).toMatchObject({ tag: '', direction: 'rtl', help: 'Hilfe', remove: 'Remove' });
  expect(texts.methods.milli).toBeUndefined();
  expect(texts.nouns.patch).toBe('patch');
  expect(completed(de, 'rtl')).toEqual(de);
});

describe('verdicts as in the sentences of the engine', () => {
  const go = ['trust', 'trustwords']
    .map((name) => new URL(`../../../core/metric/${name}.go`, import.meta.url))
    .map((url) => readFileSync(url, 'utf8'))
    .join('');
  const all = (pattern: RegExp) => [...go.matchAll(pattern)].map((found) => found[1]!);
  const constant = (name: string) => Number(all(RegExp(`\\b${name} *= ([\\d.]+)`, 'g'))[0]);

  test('another seed', () => {
    const limits = all(/case r >= ([\d.]+)/g).map(Number);
    expect(limits).toHaveLength(3);
    const words = ['fast dieselbe', 'eine ähnliche', 'eine teilweise andere', 'eine andere'];
    limits.forEach((limit, i) => {
      expect(said(de, { correlation: [limit] })).toContain(`ergibt ${words[i]}`);
      expect(said(de, { correlation: [limit - 1e-9] })).toContain(`ergibt ${words[i + 1]}`);
    });
    const more = Number(all(/r < ([\d.]+) && slices/g)[0]);
    expect(said(de, { correlation: [more] })).not.toContain('Stichproben');
    expect(said(de, { correlation: [more - 1e-9] })).toContain('Stichproben');
  });

  test('random orders', () => {
    const [orders, fewest] = [constant('TrustOrders'), constant('fewestBeaten')];
    const beaten = (n: number) => said(de, { beaten: [n] });
    expect(beaten(orders)).toContain(`jeder von ${orders} zufälligen`);
    expect(beaten(orders - 1)).toContain(`bei ${orders - 1} von ${orders} zufälligen`);
    expect(beaten(fewest)).toContain(`bei ${fewest} von ${orders} zufälligen`);
    expect(beaten(fewest - 1)).toContain(`aber ${orders - fewest + 1} von ${orders}`);
  });

  test('a better method: the first of the engine, from the same difference', () => {
    const order = all(/methods\.(\w+)\{\}/g);
    expect(order).toEqual(['Single', 'OneRemoved', 'Inherent']);
    const better = (aopcr: object) => said(de, { aopcr }).match(/(\S+) ergibt eine bess/)?.[1];
    expect(better({ inherent: [2], milli: [1], one_removed: [2], single: [2] })).toBe('Einzeln');
    expect(better({ inherent: [2], milli: [1], one_removed: [2] })).toBe('entfernt');
    expect(better({ inherent: [2], milli: [1] })).toBe('Inhärent');
    const limit = 1 / (1 - constant('muchBetter'));
    expect(better({ milli: [1], single: [limit - 1e-9] })).toBeUndefined();
    expect(better({ milli: [1], single: [limit + 1e-9] })).toBe('Einzeln');
  });
});
