// The documentation: for everybody, searched by the keyboard, alive where it shows an example, and
// readable without script and without a network.
import type { BagExplainer } from 'bagscope/element';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { overflow, read, violations } from './article';
import { b, site } from './site';

const open = (
  page: string,
  options: BrowserContextOptions & { javaScriptEnabled?: boolean } = {},
) => read(b, `${site.url}docs/${page}`, { ...options, alive: false });

const title = (page: Page, name: string) =>
  page.getByRole('heading', { level: 1, name, exact: true }).waitFor();

describe.each(['', 'choosing.html', 'commands.html', 'card.html', 'http.html'])(
  'axe-core finds nothing in docs/%s, and nothing overflows',
  (name) => {
    test.each([
      ['light', { viewport: { width: 1280, height: 900 } }],
      [
        'dark, on a phone',
        { viewport: { width: 390, height: 844 }, isMobile: true, colorScheme: 'dark' },
      ],
    ] as [string, BrowserContextOptions][])('%s', async (_, options) => {
      const { page, complaints } = await open(name, { ...options, bypassCSP: true });
      expect(await violations(page)).toEqual([]);
      expect(await overflow(page)).toBeLessThanOrEqual(0);
      if (options.isMobile) {
        await page.setViewportSize({ width: 320, height: 700 });
        await expect.poll(() => overflow(page)).toBeLessThanOrEqual(0);
      }
      expect(complaints).toEqual([]);
      await page.context().close();
    });
  },
);

test('a search by the keyboard leads to a section', async () => {
  const { page, requests, complaints } = await open('');
  expect(requests.filter((url) => url.endsWith('search.json'))).toEqual([]);
  const field = page.getByRole('searchbox', { name: 'Search the documentation' });
  await field.focus();
  await page.keyboard.type('instance_axis');
  const results = page.getByRole('list', { name: 'Results' });
  await results.waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowUp');
  expect(
    await results
      .getByRole('link')
      .first()
      .evaluate((a) => a === document.activeElement),
  ).toBe(true);
  await page.keyboard.press('ArrowUp');
  expect(await field.evaluate((input) => input === document.activeElement)).toBe(true);
  await page.keyboard.press('Enter');
  await page.waitForURL(/card\.html/);
  await field.focus();
  await page.keyboard.type('qzxv');
  await page.getByText('No section has these words.').waitFor();
  await page.keyboard.press('Escape');
  expect(await field.inputValue()).toBe('');
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('the head leads to the documentation, the list to its pages, and an example is alive', async () => {
  const { page, complaints } = await read(b, `${site.url}embed/`, { alive: false });
  await page.getByRole('navigation', { name: 'Site' }).getByRole('link', { name: 'Docs' }).click();
  await title(page, 'Documentation');
  await page
    .getByRole('navigation', { name: 'Pages of the documentation' })
    .getByRole('link', { name: 'First explanation of your own model' })
    .click();
  await title(page, 'First explanation of your own model');
  expect(await page.locator('nav [aria-current]').allInnerTexts()).toEqual([
    'Docs',
    'First explanation of your own model',
  ]);
  await page.locator('bag-explainer').scrollIntoViewIfNeeded();
  await page.waitForFunction(() => document.querySelector<BagExplainer>('bag-explainer')?.report);
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('can be read without script, with the picture and no search', async () => {
  const { page, requests } = await open('first.html', { javaScriptEnabled: false });
  await title(page, 'First explanation of your own model');
  const picture = page.getByRole('img', { name: /^A bag of drawn digits/ });
  await picture.scrollIntoViewIfNeeded();
  await expect
    .poll(() => picture.evaluate((img: HTMLImageElement) => img.naturalWidth))
    .toBe(Number(await picture.getAttribute('width')));
  expect(await page.getByRole('searchbox').count()).toBe(0);
  await page.getByRole('link', { name: 'All keys' }).click();
  await title(page, 'What a model means, and model cards');
  expect(requests.every((url) => !/\.wasm$|\.onnx$/.test(url))).toBe(true);
  await page.context().close();
});

test('pages and search work without a network after one visit', async () => {
  const { page } = await open('', { serviceWorkers: 'allow' });
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  await page.context().setOffline(true);
  await page.goto(`${site.url}docs/methods.html`);
  await title(page, 'Methods');
  await page.getByRole('searchbox').fill('surrogate');
  await page.getByRole('list', { name: 'Results' }).waitFor();
  await page.context().close();
});

test('the notes for teachers are printed without what belongs to the screen', async () => {
  const { page } = await open('teaching.html');
  await page.emulateMedia({ media: 'print' });
  await title(page, "Teacher's notes");
  expect(await page.getByRole('navigation').count()).toBe(0);
  expect(await page.getByRole('searchbox').count()).toBe(0);
  await page.context().close();
});
