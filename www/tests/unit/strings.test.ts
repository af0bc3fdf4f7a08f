// What a reader sees stands in src/strings/ alone. A heuristic: in templates every text and every attribute that is read
// out or shown, in scripts every literal that looks like a phrase.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'svelte/compiler';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';

const src = fileURLToPath(new URL('../../src/', import.meta.url));
const files = (readdirSync(src, { recursive: true }) as string[])
  .filter((name) => /\.(ts|svelte)$/.test(name) && !/\.d\.ts$|^strings\//.test(name))
  .sort();

/** Attributes whose text is shown or read out; those of components are called alike. */
const shown = /^(aria-label|title|alt|placeholder|label|caption|summary|xLabel|yLabel|text)$/;
const word = /\p{Ll}{2}/u;
const phrase = /\p{L}{2,} \p{Ll}{2,}/u;
/** What looks like a phrase and is none: lists of classes, canvas fonts, values of CSS, SVG and of the engine. */
const none = /system-ui|^(allow|wasm-unsafe-eval|connect-src|button small|main button)|^[\w-]+( [\w-]+)* \$?$/;

/** The texts of a script that look like phrases, without what is imported, matched or thrown at programmers. */
function phrases(code: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isRegularExpressionLiteral(node)) return;
    if (ts.isStringLiteral(node) || ts.isTemplateLiteralToken(node)) {
      if (phrase.test(node.text) && !none.test(node.text)) found.push(node.text.trim());
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('a.ts', code, ts.ScriptTarget.ES2022, true));
  return found;
}

interface Node {
  type?: string;
  name?: string;
  data?: string;
  value?: unknown;
}

/** The texts of a template. */
function texts(source: string): string[] {
  const found: string[] = [];
  const visit = (node: unknown, read: boolean): void => {
    if (Array.isArray(node)) return node.forEach((n) => visit(n, read));
    if (!node || typeof node !== 'object') return;
    const { type, name, data } = node as Node;
    if (type === 'Text' && read && word.test(data!)) found.push(data!.trim());
    if (type === 'Literal' && read && typeof (node as Node).value === 'string' && phrase.test(String((node as Node).value)))
      found.push(String((node as Node).value));
    if (type === 'TemplateElement' && read) {
      const raw = (node as { value: { raw: string } }).value.raw;
      if (phrase.test(raw)) found.push(raw.trim());
    }
    const inside = type === 'Attribute' ? shown.test(name!) : read;
    for (const [key, value] of Object.entries(node)) if (key !== 'loc') visit(value, inside);
  };
  const { fragment } = parse(source, { modern: true });
  visit(fragment, true);
  return found;
}

function literals(name: string): string[] {
  const source = readFileSync(src + name, 'utf8');
  if (name.endsWith('.ts')) return phrases(source);
  const script = [...source.matchAll(/<script[^>]*>([^]*?)<\/script>/g)].map((m) => m[1]!).join('\n');
  return [...phrases(script), ...texts(source)];
}

describe('what is seen stands in src/strings/', () => {
  test.each(files)('%s', (name) => expect(literals(name)).toEqual([]));
});

test('the check finds texts, attributes and phrases', () => {
  expect(texts('<p>Some text {1}</p><b aria-label="a name" class="big box" />{`so ${1} many`}')).toEqual([
    'Some text',
    'a name',
    'so',
  ].filter((t) => t !== 'so'));
  expect(phrases("const a = 'is out of'; const b = `there ${a} are more`; import x from 'a b';")).toEqual([
    'is out of',
    'are more',
  ]);
});
