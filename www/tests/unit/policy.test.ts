// Pages forbid themselves all but what they need: the whole policy of each page of the site.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { allowed } from '../../firstscreen';

const www = fileURLToPath(new URL('../..', import.meta.url));
const read = (page: string) => readFileSync(`${www}/${page}`, 'utf8');

/** The policy of the article. The build adds the hash of the styles that it puts into a page. */
const common = {
  'default-src': "'none'",
  'script-src': "'self' 'wasm-unsafe-eval'",
  'worker-src': "'self'",
  'connect-src': "'self'",
  'img-src': "'self' data:",
  'style-src': "'self'",
  'manifest-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'none'",
};
const { 'manifest-src': _, ...notInstalled } = common;
const [, benchStyle] = /<style>([^]*)<\/style>/.exec(read('bench/index.html'))!;

const policies: Record<string, Record<string, string>> = {
  'index.html': common,
  'docs/index.html': common,
  'embed/index.html': common,
  'python/index.html': { ...common, 'script-src': "'self'" },
  // Pictures of opened files are blobs.
  'look/index.html': { ...notInstalled, 'img-src': "'self' blob: data:" },
  'bench/index.html': {
    ...notInstalled,
    'img-src': 'data:',
    'style-src': allowed(benchStyle!),
  },
};

test('every page has a policy', () => {
  const folders = readdirSync(www).filter((name) => existsSync(`${www}/${name}/index.html`));
  const pages = ['index.html', ...folders.map((name) => `${name}/index.html`)];
  expect(pages.filter((page) => page !== 'dist/index.html').sort()).toEqual(
    Object.keys(policies).sort(),
  );
});

test.each(Object.entries(policies))('the whole policy of %s', (page, policy) => {
  const stated = read(page).matchAll(/http-equiv="Content-Security-Policy"\s+content="([^"]*)"/gi);
  const whole = Object.entries(policy).map(([name, sources]) => `${name} ${sources}`);
  expect([...stated].map(([, content]) => content)).toEqual([whole.join('; ')]);
});
