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
/** What is a phrase in no language: names, commands, words between modules, a canvas's font, styles, rules of the browser's policy. */
const none =
  /^(bagscope|model\.onnx|bags\.npz|, Apache-2\.0\.|(np[mx]|pip|bagscope) .*|the README has no .*|parts missing|too large|(px )?system-ui, .*|connect-src .*|:root\{.*)$/s;
/** What is left of a piece of HTML without its tags, of which it may begin or end in the middle. */
const bare = (html: string) => html.replace(/^[^<>]*>|<[^>]*>?/g, ' ').trim();
const isPhrase = (text: string) => phrase.test(bare(text)) && !none.test(text.trim());

/** The texts of a script that look like phrases, without what is imported, matched or thrown at programmers. */
function phrases(code: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isRegularExpressionLiteral(node)) return;
    if (ts.isStringLiteral(node) || ts.isTemplateLiteralToken(node)) {
      if (isPhrase(node.text)) found.push(node.text.trim());
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
    const { type, name, data, value } = node as Node;
    if (type === 'Text' && read && word.test(data!) && !none.test(data!.trim()))
      found.push(data!.trim());
    const literal =
      type === 'Literal' ? value : type === 'TemplateElement' ? (value as { raw: string }).raw : '';
    if (read && typeof literal === 'string' && isPhrase(literal)) found.push(literal.trim());
    const inside = type === 'Attribute' ? shown.test(name!) : read && type !== 'StyleDirective';
    for (const [key, value] of Object.entries(node)) if (key !== 'loc') visit(value, inside);
  };
  const { fragment } = parse(source, { modern: true });
  visit(fragment, true);
  return found;
}

function literals(name: string): string[] {
  const source = readFileSync(src + name, 'utf8');
  if (name.endsWith('.ts')) return phrases(source);
  const script = [...source.matchAll(/<script[^>]*>([^]*?)<\/script>/g)]
    .map((m) => m[1]!)
    .join('\n');
  return [...phrases(script), ...texts(source)];
}

describe('what is seen stands in src/strings/', () => {
  test.each(files)('%s', (name) => expect(literals(name)).toEqual([]));
});

test('the check finds texts, attributes and phrases, and nothing else', () => {
  const template =
    '<p style:width="{1}px">Some text {1}</p><b aria-label="a name" class="big box" />{`so ${1} many were`}<a>{c ? "is out" : ""}</a>';
  expect(texts(template)).toEqual(['Some text', 'a name', 'many were', 'is out']);
  const script =
    "import x from 'so much'; const a = 'is out of'; const b = `there ${a} are more`; const c = '<p class=\"big box\">';";
  expect(phrases(script)).toEqual(['is out of', 'are more']);
});
