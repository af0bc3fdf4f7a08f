// What the service worker keeps: the files of its version, by hash, from the site's own addresses,
// all or nothing.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const scope = 'https://host.example/site/';
const file = 'assets/engine-01234567.wasm';
const content = '\0asm';
const source = readFileSync(new URL('../../src/site/sw.js', import.meta.url), 'utf8')
  .replace('__VERSION__', '1')
  .replace(
    '__FILES__',
    JSON.stringify({ [file]: createHash('sha256').update(content).digest('base64') }),
  )
  .replace('__EXAMPLES__', '[]');

interface Answer extends ResponseInit {
  body?: string;
  type?: ResponseType;
  redirected?: boolean;
}

function response({ body = content, type = 'basic', redirected = false, ...init }: Answer) {
  const status = init.status ?? 200;
  return Object.defineProperties(new Response(body, status === 0 ? {} : init), {
    status: { value: status },
    type: { value: type },
    redirected: { value: redirected },
  });
}

/**
 * Installs the worker on a site that gives this answer, where another version has `earlier`, and
 * returns what it keeps.
 */
async function install(answer: Answer, earlier?: string): Promise<Record<string, Response>> {
  const kept: Record<string, Response> = {};
  const listeners: Record<string, (event: { waitUntil(p: Promise<void>): void }) => void> = {};
  const cache = { put: (url: string, answer: Response) => void (kept[url] = answer) };
  new Function('registration', 'caches', 'fetch', 'addEventListener', source)(
    { scope },
    {
      open: async () => cache,
      match: async () => (earlier === undefined ? undefined : new Response(earlier)),
    },
    async () => response(answer),
    (name: string, listener: (typeof listeners)[string]) => (listeners[name] = listener),
  );
  await new Promise<void>((done, failed) =>
    listeners.install!({ waitUntil: (work) => void work.then(done, failed) }),
  );
  return kept;
}

test.each<[string, Answer, string?]>([
  ['a whole answer of the site', {}],
  ['the file of an earlier version', { status: 404 }, content],
  ['the right file in place of a poisoned one', {}, '<html>'],
])('%s is kept', async (_, answer, earlier) => {
  const kept = await install(answer, earlier);
  expect(Object.keys(kept)).toEqual([scope + file]);
  expect(await kept[scope + file]!.text()).toBe(content);
});

test('an answer behind a redirection is kept without it', async () => {
  const kept = await install({ redirected: true });
  expect(kept[scope + file]!.redirected).toBe(false);
  expect(await kept[scope + file]!.text()).toBe(content);
});

test.each<[string, Answer, string?]>([
  ['an error page', { status: 404, body: 'not found' }],
  ['a part of a file', { status: 206 }],
  ['an answer of another origin', { type: 'cors' }],
  ['an answer that cannot be read', { status: 0, type: 'opaque' }],
  ['a page that asks to sign in', { body: '<html>', redirected: true }],
  ['a page for a missing file', { body: '<html>' }],
  ['another file of equal name', { body: content + ' ' }],
  ['a poisoned file of an earlier version', { status: 404 }, '<html>'],
])('%s is not kept, and the worker is not installed', async (_, answer, earlier) => {
  await expect(install(answer, earlier)).rejects.toThrow(scope);
});
