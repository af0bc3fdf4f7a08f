// What the service worker keeps: whole answers of the site's own addresses, all or nothing.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const scope = 'https://host.example/site/';
const source = readFileSync(new URL('../../src/site/sw.js', import.meta.url), 'utf8')
  .replace('__VERSION__', '1')
  .replace('__FILES__', '["./"]')
  .replace('__EXAMPLES__', '[]');

/** Installs the worker on a site that gives this answer, and returns the addresses it keeps. */
async function install(answer: Partial<Response>): Promise<string[]> {
  const kept: string[] = [];
  const listeners: Record<string, (event: { waitUntil(p: Promise<void>): void }) => void> = {};
  const cache = { put: (url: string) => void kept.push(url) };
  new Function('registration', 'caches', 'fetch', 'addEventListener', source)(
    { scope },
    { open: async () => cache, match: async () => undefined },
    async () => ({ ok: true, status: 200, type: 'basic', ...answer }),
    (name: string, listener: (typeof listeners)[string]) => (listeners[name] = listener),
  );
  await new Promise<void>((done, failed) =>
    listeners.install!({ waitUntil: (work) => void work.then(done, failed) }),
  );
  return kept;
}

test('a whole answer of the site is kept', async () => {
  expect(await install({})).toEqual([scope]);
});

test.each<[string, Partial<Response>]>([
  ['an error page', { ok: false, status: 404 }],
  ['a part of a file', { status: 206 }],
  ['an answer of another origin', { type: 'cors' }],
  ['an answer that cannot be read', { ok: false, status: 0, type: 'opaque' }],
])('%s is not kept, and the worker is not installed', async (_, answer) => {
  await expect(install(answer)).rejects.toThrow(scope);
});
