// The site in a second language, which is made by program: every text of the pages comes from its
// file, and fits on a phone though it is longer.
import { execFile } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { article, docs, embed, heads, learn, look } from '../language/en-XA';
import { overflow, read, tile, unfold } from './article';
import { foreign } from './foreign';
import { host, type Host } from './host';
import { browser, drop, openAll, visit } from './page';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const built = here('../../../build/language');
const phone = { viewport: { width: 390, height: 844 } };

let b: Browser;
let site: Host;

beforeAll(async () => {
  await promisify(execFile)(
    process.execPath,
    [here('../../node_modules/vite/bin/vite.js'), 'build', '--outDir', built, '--emptyOutDir'],
    { cwd: here('../..'), env: { ...process.env, SITE_LANGUAGE: 'tests/language/en-XA.ts' } },
  );
  [b, site] = await Promise.all([browser(), host(built)]);
}, 600_000);
afterAll(async () => {
  await b?.close();
  await site?.close();
  rmSync(built, { recursive: true, force: true });
});

/**
 * Nothing on the page is in English, and nothing is wider than the window, also if lines begin at
 * the right.
 */
async function translated(page: Page, within?: string): Promise<void> {
  expect(await foreign(page, within)).toEqual([]);
  for (const direction of ['rtl', 'ltr']) {
    await page.locator('html').evaluate((html, to) => ((html as HTMLElement).dir = to), direction);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
  }
}

/** What the example's instances are called: its card says it. */
const digits = { one: 'digit', several: 'digits' };

test('the pages and the manifest state the language', async () => {
  const { page } = await read(b, site.url, { alive: false });
  expect(await page.locator('html').getAttribute('lang')).toBe('en-XA');
  expect(await page.title()).toBe(heads.pages.learn.title);
  const manifest = JSON.parse(readFileSync(join(built, 'site.webmanifest'), 'utf8')) as object;
  expect(manifest).toMatchObject({ ...heads.manifest, lang: 'en-XA', dir: 'ltr' });
  await page.context().close();
});

test('a text that does not come from the file is found', async () => {
  const { page } = await read(b, site.url, { alive: false });
  await page.evaluate(() => document.body.append('a bare word'));
  expect(await foreign(page)).toEqual(['a bare word']);
  await page.context().close();
});

test('the article: everything unfolded, an instance removed, every bag', async () => {
  const { page } = await read(b, site.url, phone);
  await unfold(page);
  await tile(page, 3).click();
  await page.getByText(article.hero.bag(29, learn.nouns('digit'), 1), { exact: true }).waitFor();
  await translated(page);
  for (const { title } of Object.values(learn.bagTexts)) {
    await page.getByRole('button', { name: title, exact: true }).click();
    await page.locator('[data-phase="live"]').waitFor({ state: 'attached' });
    await translated(page);
  }
  await page.context().close();
});

test('the explorer: the example, an instance removed, every form open, a broken file', async () => {
  const { page } = await visit(b, site.look, phone);
  await translated(page);
  await openAll(page);
  await page
    .getByRole('button', { name: look.table.move(digits, false, 0), exact: true })
    .evaluate((button: HTMLElement) => button.click());
  await page.getByText(look.prediction.rest(digits, 1, 29)).waitFor();
  await translated(page);
  await page.getByRole('button', { name: look.whatif.findPairs }).click();
  await page.getByRole('region', { name: look.whatif.pairsTable(digits) }).waitFor();
  await translated(page);
  await drop(page, [{ name: 'broken.onnx', bytes: Buffer.from('no model') }]);
  await page.getByRole('button', { name: look.alert.close }).waitFor();
  expect(await page.getByRole('alert').locator('strong').innerText()).toBe(look.problems.format);
  // The engine writes what is wrong with the file.
  await page.locator('[role="alert"] p').evaluate((p) => p.setAttribute('lang', 'en'));
  await translated(page);
  await page.context().close();
});

test('the element and the page about it', async () => {
  const { page } = await read(b, `${site.url}embed/`, { ...phone, alive: false });
  await page.locator('bag-explainer canvas').waitFor();
  await page.getByText(embed.title).waitFor();
  await openAll(page);
  await translated(page);
  await page.context().close();
});

// A guide is in English, and so are its title and description.
test.each([
  ['python/', 'html'],
  ['docs/', 'html'],
  ['docs/first.html', 'body'],
])('%s', async (path, within) => {
  const { page } = await read(b, site.url + path, { ...phone, alive: false });
  await translated(page, within);
  await page.context().close();
});

test('the search of the documentation', async () => {
  const { page } = await read(b, `${site.url}docs/`, { ...phone, alive: false });
  await page.getByLabel(docs.search.label).fill('zzzz');
  await page.getByText(docs.search.found(0)).waitFor();
  await translated(page);
  await page.context().close();
});
