// The built site carries the licence of every package that its sources import, and of what those
// packages need. The list comes from the sources and not from the bundler.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { licenseOf, LICENSES, packageOf } from '../../licenses.ts';

const www = fileURLToPath(new URL('../..', import.meta.url));

function sources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => /(\.ts|\.svelte)$/.test(entry.name))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
}

/** The packages that the sources import and that are installed. */
function imported(): Set<string> {
  const names = sources(join(www, 'src')).flatMap((text) =>
    [...text.matchAll(/(?:from|import)\s*\(?\s*'((?:@[^/']+\/)?[a-z][^/']*)/g)].map((m) => m[1]!),
  );
  return new Set(
    names.filter((name) => existsSync(join(www, 'node_modules', name, 'package.json'))),
  );
}

test('the site carries the licences of what it bundles', () => {
  const text = readFileSync(join(www, 'dist', LICENSES), 'utf8');
  const names = imported();
  expect([...names]).toEqual(
    expect.arrayContaining(['svelte', 'd3-scale', 'd3-shape', 'openseadragon']),
  );
  // What d3-scale imports itself.
  for (const name of [...names, 'd3-array', 'd3-interpolate'])
    expect(text, `the licence of ${name}`).toMatch(new RegExp(`^${name} \\d+\\.`, 'm'));
  // Every page has code that Vite writes itself; the packages in Vite are not part of the site.
  expect(text).toMatch(/^vite \d+\.[^]*^# Vite core license$/m);
  expect(text).not.toContain('Bundled dependencies');
  for (const name of readdirSync(join(www, 'dist/assets')).filter((name) => name.endsWith('.svs')))
    expect(text).toMatch(new RegExp(`^${name.replace(/-[^-]+\.svs$/, '.svs')} \\(`, 'm'));
  expect(text).toContain('The Go Authors');
  expect(text).toContain('github.com/valyala/fastjson');
  expect(text.match(/Permission is hereby granted/g)!.length).toBeGreaterThan(3);
  expect(text).toContain('Apache License');
});

test('pages link to the licences', () => {
  for (const [page, to] of [
    ['index.html', LICENSES],
    ['look/index.html', `../${LICENSES}`],
  ] as const)
    expect(readFileSync(join(www, 'dist', page), 'utf8')).toContain(`href="${to}"`);
});

test('a module belongs to the innermost package', () => {
  expect(packageOf('/a/node_modules/geotiff/node_modules/@b/c/x.js?worker')).toBe(
    '/a/node_modules/geotiff/node_modules/@b/c',
  );
  expect(packageOf('/a/src/x.ts')).toBeUndefined();
  expect(packageOf('\0virtual:poster')).toBeUndefined();
  expect(packageOf('\0vite/preload-helper.js')).toBe(join(www, 'node_modules/vite'));
});

test('a package without a licence text fails the build', () => {
  const folder = mkdtempSync(join(tmpdir(), 'licenses-'));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"name":"bare","version":"1.0.0","license":"MIT"}');
  expect(() => licenseOf(folder)).toThrow('bare 1.0.0 has no file LICENSE');
});
