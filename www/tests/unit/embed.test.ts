// What the page for those who embed says of the element, beside the element's own source.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { methodTitles, settingsTitles, type Engine } from 'bagscope';
import { BagExplainer } from 'bagscope/element';
import { describe, expect, test } from 'vitest';
import { attributeTexts } from '../../src/embed/attributes';
import { attributes, decode, encode, turnTo, usual, type Choice } from '../../src/embed/choice';
import { policy } from '../../src/embed/examples';
import { snippet } from '../../src/embed/snippet';
import { embed as words } from '../../src/strings';

const npm = (name: string) => fileURLToPath(new URL(`../../../wasm/npm/${name}`, import.meta.url));
const source = readdirSync(npm('src/element'))
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(npm(`src/element/${name}`), 'utf8'))
  .join('\n');
const readme = readFileSync(npm('README.md'), 'utf8');
const found = (pattern: RegExp) =>
  [...new Set([...source.matchAll(pattern)].map((m) => m[1]!))].sort();
const sorted = (o: object) => Object.keys(o).sort();

describe('the tables name all that the element has, and nothing else', () => {
  test('attributes', () => {
    expect(sorted(attributeTexts)).toEqual([...BagExplainer.observedAttributes, 'loading'].sort());
    expect(source).toContain('getAttribute("loading")');
  });
  test('properties', () => {
    const own = found(/^ {2}get (\w+)\(\): [^{]+\{$/gm);
    expect(sorted(words.properties)).toEqual([...own, 'toPNG()'].sort());
  });
  test('events', () => expect(sorted(words.events)).toEqual(found(/tell\("(bag-\w+)"/g)));
  test('slots', () =>
    expect(sorted(words.slots)).toEqual([
      '(default)',
      ...found(/make\("slot", \{ name: "(\w+)" \}/g),
    ]));
  test('custom properties', () => expect(sorted(words.custom)).toEqual(found(/var\((--bag-\w+)/g)));
  test('parts', () => expect(sorted(words.parts)).toEqual(found(/part: "(\w+)"/g)));

  test.each(['attributes', 'properties', 'events', 'custom', 'parts'] as const)(
    'the package’s README has all %s',
    (kind) => {
      for (const name of Object.keys(words[kind])) expect(readme).toContain(`\`${name}`);
    },
  );
  test('the package’s README has the policy', () =>
    expect(readme.replace(/\s+/g, ' ')).toContain(`\`${policy}\``));
});

test('methods and settings are called as the engine calls them', async () => {
  const { load } = (await import(npm('dist/node.js'))) as { load(): Promise<Engine> };
  const engine = await load();
  const titles = (list: readonly { name: string; title: string }[]) =>
    list.map((m) => [m.name, m.title]);
  expect(Object.entries(methodTitles)).toEqual(titles(engine.methods));
  expect(Object.entries(settingsTitles)).toEqual(titles(engine.settings));
  engine.close();
});

describe('the choice', () => {
  const known = {
    methods: Object.keys(methodTitles),
    settings: Object.keys(settingsTitles),
  };
  const other: Choice = {
    ...turnTo({ ...usual }, 'tissue'),
    index: 1,
    method: 'single',
    settings: '',
    classes: '0,1',
    kind: 'overlay',
    theme: 'dark',
    interactive: false,
  };

  test.each([
    ['the usual one', usual],
    ['another', other],
    ['an example with its own settings', turnTo({ ...usual }, 'machine')],
  ])('%s survives its link', (_, choice) =>
    expect(decode(`#${encode(choice)}`, known)).toEqual(choice),
  );

  test.each([
    '#source=own',
    '#method=magic',
    '#index=-1',
    '#index=x',
    '#classes=all%20of',
    '#kind=3',
    '#%%%',
  ])('a link that says nothing known, %s, is as usual', (hash) =>
    expect(decode(hash, known)).toEqual(usual),
  );

  test('attributes that say nothing are left out', () => {
    expect(attributes(usual)).toEqual([
      ['settings', 'mnist'],
      ['interactive', ''],
    ]);
  });

  test('names of files cannot become markup', () => {
    const model = new File([], 'a" onload="x.onnx');
    const bag = new File([], '<b>&.npz');
    const html = snippet({ ...usual, source: 'own', model, bag });
    expect(html).toContain('model="a%22%20onload%3D%22x.onnx" bag="%3Cb%3E%26.npz"');
    expect(snippet({ ...usual, classes: '"><script>' })).toContain(
      'classes="&quot;&gt;&lt;script&gt;"',
    );
  });
});
