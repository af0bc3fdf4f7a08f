// The folders of the explorer are floors: code imports from its own folder and from those below.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { expect, test } from 'vitest';

/** From the lowest to the highest; files beside the folders are above all. */
const floors = [
  'read',
  'place',
  'state',
  'judge',
  'explain',
  'whatif',
  'open',
  'map',
  'batch',
  'slide',
  'picture',
  'save',
  '',
];

const top = resolve(import.meta.dirname, '../../src/look');
const files = readdirSync(top, { recursive: true, encoding: 'utf8' }).filter((name) =>
  /\.(ts|svelte)$/.test(name),
);
const floorOf = (name: string) => floors.indexOf(name.includes(sep) ? name.split(sep)[0]! : '');

test('each folder of the explorer has its floor', () => {
  expect(files.length).toBeGreaterThan(100);
  expect(new Set(files.map(floorOf))).toEqual(new Set(floors.keys()));
});

test('no import of the explorer goes up', () => {
  const up: string[] = [];
  for (const name of files) {
    const text = readFileSync(join(top, name), 'utf8');
    for (const [, , path] of text.matchAll(/(from|import)\s*\(?\s*'(\.[^']+)'/g)) {
      const target = relative(top, resolve(dirname(join(top, name)), path!));
      if (!target.startsWith('..') && floorOf(target) > floorOf(name)) up.push(`${name}: ${path}`);
    }
  }
  expect(up).toEqual([]);
});
