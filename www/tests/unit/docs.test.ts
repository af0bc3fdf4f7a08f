// The documentation: every link leads somewhere, every page has one outline, and the search finds.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import MiniSearch from 'minisearch';
import { describe, expect, test } from 'vitest';
import { pages, searchIndex } from '../../docs/build/files';
import type { Sheet } from '../../docs/build/worksheets';
import { searchOptions, type Section } from '../../src/docs/sections';

/** A bag of three digits, of which the first two say what it is. */
const sheet: Sheet = {
  ...{ key: 'both', noun: 'digit', ink: true, instances: 3, labels: [8, 9, 1] },
  ...{ classes: ['neither', 'both'], prediction: [0.02, 0.98] },
  results: {
    rows: [
      {
        ...{ method: 'consensus', neutral: [0, 0], r2: [null, null], evaluations: 1 },
        scores: [
          [0, 0, 0],
          [1, 2, -3],
        ],
        evident: [
          [0, 0, 0],
          [1, 1, 0],
        ],
      },
    ],
    skipped: [],
  },
  together: ['neither', 'both'].map(() => ({
    joints: [],
    sufficient: [{ instances: [0, 1], p: 0.97 }],
    necessary: [{ instances: [1], p: 0.01 }],
  })),
};
const all = pages([sheet, sheet]);
const www = fileURLToPath(new URL('../..', import.meta.url));
const root = fileURLToPath(new URL('../../..', import.meta.url));

const anchors = (html: string) => [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id!);
const links = (html: string) => [...html.matchAll(/<a href="([^"]*)"/g)].map(([, href]) => href!);
const sources = (html: string) =>
  [...html.matchAll(/ (?:src|model|bag)="([^"]*)"/g)].map(([, src]) => src!);

/** What the examples' files are called on the site, see vite.config.ts. */
const example = (path: string) => path.replace('../example/', `${root}examples/digits/`);

describe.each(all.map((page) => [page.name, page] as const))(
  '%s',
  (name, { html, description }) => {
    test('has no dead link and no dead anchor', () => {
      const dead = links(html).filter((href) => {
        if (/^https?:/.test(href)) {
          const path = /^https:\/\/github\.com\/bagscope\/bagscope\/blob\/main\/([^#]*)/.exec(href);
          return path ? !existsSync(root + path[1]) : false;
        }
        const [address, hash] = href.split('#') as [string, string?];
        const path = address.split('?')[0]!;
        if (path.startsWith('../example/')) return !existsSync(example(path));
        if (path === 'card.schema.json') return !existsSync(`${root}onnxbackend/${path}`);
        if (path.startsWith('../')) return !existsSync(`${www}/${path.slice(3)}index.html`);
        const page = all.find((other) => `${other.name}.html` === (path || `${name}.html`));
        return (
          !page || (hash !== undefined && !anchors(page.html).includes(decodeURIComponent(hash)))
        );
      });
      expect(dead).toEqual([]);
    });

    test('shows files that exist', () =>
      expect(sources(html).filter((path) => !existsSync(example(path)))).toEqual([]));

    test('has one heading of the first level, no gap between levels, and each anchor once', () => {
      const levels = [...html.matchAll(/<h([1-6]) /g)].map(([, level]) => Number(level));
      expect(levels.filter((level) => level === 1)).toHaveLength(1);
      expect(levels[0]).toBe(1);
      levels.forEach((level, i) => expect(level - (levels[i - 1] ?? 0)).toBeLessThanOrEqual(1));
      expect(new Set(anchors(html)).size).toBe(anchors(html).length);
      expect(description.length).toBeGreaterThan(30);
    });
  },
);

test('guides are short', () => {
  const long = all
    .filter(({ group }) => group === 'Guides')
    .map(({ name, html }) => [name, html.replace(/<[^>]*>/g, ' ').split(/\s+/).length] as const)
    .filter(([, words]) => words > 700);
  expect(long).toEqual([]);
});

test('the search finds a flag, a key, a route and a method, also with a mistake in the word', () => {
  const index = MiniSearch.loadJSON<Section>(searchIndex(all), searchOptions);
  for (const [words, page] of [
    ['whole-slide', 'commands.html'],
    ['instance_axis', 'card.html'],
    ['/v1/explain', 'http.html'],
    ['surrogate', 'methods.html'],
    ['surogate', 'methods.html'],
    ['pen stroke', 'teaching.html'],
    ['ReadOptions', 'types.html'],
  ] as const)
    expect(
      index.search(words).map(({ id }) => String(id).split('#')[0]),
      words,
    ).toContain(page);
  expect(index.search('qzxv')).toEqual([]);
});

test('every command, key and type has its place', () => {
  const html = Object.fromEntries(all.map((page) => [page.name, page.html]));
  for (const name of ['explain', 'inspect', 'serve', 'tiles'])
    expect(anchors(html.commands!)).toContain(name);
  for (const name of ['Engine', 'Model', 'load'])
    expect(anchors(html.types!)).toContain(name.toLowerCase());
  expect(html.card).toContain('<code>preprocess.std</code>');
  expect(html.formats).toContain('<code>.safetensors</code>');
});

test('worksheets number the pictures of a bag, and the answers are the engine’s', () => {
  const [worksheet, answers] = ['worksheet', 'answers'].map((name) =>
    all.find((page) => page.name === name)!.html.replace(/\s+/g, ' '),
  );
  expect(worksheet!.match(/<text [^>]*>\d<\/text>/g)).toHaveLength(6);
  expect(worksheet).toContain('href="../learn/both.png" width="84"');
  expect(worksheet).toContain('☐ both');
  for (const words of ['98', 'supports', '2, 1']) expect(worksheet).not.toContain(words);
  expect(answers).toContain('The network says “both” (98 %).');
  expect(answers).toContain('For it, the strongest first: 2, 1. Against it: none.');
  expect(answers).toContain('2 digits are enough: 1, 2.');
  expect(answers).toContain(
    '1 of the digits must be removed, such as 2; the probability of the answer is then 1 %.',
  );
});
