// The page about Python: for everybody, without script, and copied as it stands.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { overflow, read, violations, type Reading } from './article';
import { b, site } from './site';

const snippet = (name: string) =>
  readFileSync(
    fileURLToPath(new URL(`../../../tools/python/tests/snippets/${name}`, import.meta.url)),
    'utf8',
  );

const open = (options: BrowserContextOptions & { javaScriptEnabled?: boolean } = {}) =>
  read(b, `${site.url}python/`, { ...options, alive: false });

const title = (page: Page) =>
  page.getByRole('heading', { name: 'Explain models of bags in Python' }).waitFor();

describe('axe-core finds nothing, and nothing overflows', () => {
  test.each([
    ['light', { viewport: { width: 1280, height: 900 } }],
    [
      'dark, on a phone',
      { viewport: { width: 390, height: 844 }, isMobile: true, colorScheme: 'dark' },
    ],
  ] as [string, BrowserContextOptions][])('%s', async (_, options) => {
    const { page, complaints } = await open({ ...options, bypassCSP: true });
    for (const summary of await page.locator('main summary').all()) await summary.click();
    expect(await violations(page)).toEqual([]);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    await page.setViewportSize({ width: 320, height: 700 });
    await expect.poll(() => overflow(page)).toBeLessThanOrEqual(0);
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});

describe('with the keyboard', () => {
  let seen: Reading;
  test('the program is copied as the tests run it', async () => {
    seen = await open({ permissions: ['clipboard-read', 'clipboard-write'] });
    const { page } = seen;
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter'); // skips to the page
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
    const wanted = 'Copy: A program that explains a bag';
    for (let i = 0; i < 10 && (await focused()) !== wanted; i++) await page.keyboard.press('Tab');
    expect(await focused()).toBe(wanted);
    await page.keyboard.press('Enter');
    await page.getByText('Copied').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(snippet('explain.py'));
  });

  test('the head leads to the page and from it', async () => {
    const { page, complaints } = seen;
    const nav = page.getByRole('navigation', { name: 'Site' });
    expect(await nav.locator('[aria-current]').innerText()).toBe('Python');
    await nav.getByRole('link', { name: 'Embed' }).click();
    await page.getByRole('link', { name: 'Python' }).click();
    await title(page);
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});

test('can be read without script, with the picture and no button', async () => {
  const { page, requests } = await open({ javaScriptEnabled: false });
  await title(page);
  const picture = page.getByRole('img', { name: /^A bag of digits in rows/ });
  await picture.scrollIntoViewIfNeeded();
  await expect
    .poll(() => picture.evaluate((img: HTMLImageElement) => img.naturalWidth))
    .toBe(Number(await picture.getAttribute('width')));
  const message = page.getByRole('region', { name: 'Its message' });
  expect(await message.innerText()).toContain('The cause is in layer');
  expect(await page.getByRole('button', { name: /^Copy/ }).count()).toBe(0);
  expect(requests.every((url) => !/\.wasm$|\.onnx$/.test(url))).toBe(true);
  await page.context().close();
});
