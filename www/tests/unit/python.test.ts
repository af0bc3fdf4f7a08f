// The page about Python shows each program that the Python tests run, and the README's tables.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { architectures, table } from '../../src/python/readme';
import { extras, snippets } from '../../src/python/snippets';

const python = (name: string) =>
  fileURLToPath(new URL(`../../../tools/python/${name}`, import.meta.url));

test('every program is shown', () => {
  const shown = new Set<string>(Object.values(snippets));
  const unseen = readdirSync(python('tests/snippets')).filter(
    (name) => !shown.has(readFileSync(python(`tests/snippets/${name}`), 'utf8')),
  );
  expect(unseen).toEqual([]);
});

test('the package has the extras that the page installs', () => {
  const declared = readFileSync(python('pyproject.toml'), 'utf8')
    .split('[project.optional-dependencies]\n')[1]!
    .split('\n\n')[0]!;
  const names = [...declared.matchAll(/^(\w+) =/gm)].map(([, name]) => name!);
  expect(/\[(.*)\]/.exec(extras)![1]!.split(',').sort()).toEqual(names.sort());
});

test.each([
  ['Errors', () => table('Errors'), 'exception', 2, 5],
  ['encoders', () => table('Export models of PyTorch, scikit-learn and Keras'), 'encoder', 3, 3],
  ['architectures', architectures, 'architecture', 3, 26],
  ['The command line', () => table('The command line'), 'command', 2, 5],
] as const)('the table of %s is whole', (_, of, first, columns, least) => {
  const { head, rows } = of();
  expect(head[0]).toBe(first);
  expect(rows.length).toBeGreaterThanOrEqual(least);
  expect(new Set(rows.map(([name]) => name)).size).toBe(rows.length);
  expect([head, ...rows].every((row) => row.length === columns && row.every(Boolean))).toBe(true);
});

test('a heading that the README does not have is an error', () =>
  expect(() => table('No such heading')).toThrow('no table below'));
