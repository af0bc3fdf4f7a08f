// The modules of the site import each other in one direction: no circles, those of types included.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const src = fileURLToPath(new URL('../../src', import.meta.url));

function modules(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return modules(path);
    return /(\.ts|\.svelte)$/.test(name) && !name.endsWith('.d.ts') ? [path] : [];
  });
}

function imports(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  const names = text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g);
  return [...names].flatMap(([, name]) => {
    const path = join(dirname(file), name!);
    const found = [path, `${path}.ts`, join(path, 'index.ts')].find(
      (p) => existsSync(p) && statSync(p).isFile(),
    );
    return found ? [found] : [];
  });
}

test('no module imports itself by way of others', () => {
  const all = modules(src);
  const graph = new Map(all.map((file) => [file, imports(file)]));
  const edges = [...graph.values()].reduce((n, list) => n + list.length, 0);
  expect(edges).toBeGreaterThan(300); // the search finds imports
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (file: string, path: string[]) => {
    const at = path.indexOf(file);
    if (at >= 0) circles.push([...path.slice(at), file].map((f) => relative(src, f)).join(' > '));
    if (at >= 0 || done.has(file)) return;
    for (const next of graph.get(file) ?? []) visit(next, [...path, file]);
    done.add(file);
  };
  for (const file of all) visit(file, []);
  expect(circles).toEqual([]);
});
