// Learn in the languages that the site ships.
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { languages } from '../../src/site/files';
import { overflow, read, tile, unfold } from './article';
import { host, type Host } from './host';
import { browser } from './page';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const phone = { viewport: { width: 390, height: 844 } };

let b: Browser;
let site: Host;
beforeAll(async () => {
  [b, site] = await Promise.all([browser(), host(here('../../dist'))]);
});
afterAll(async () => {
  await b?.close();
  await site?.close();
});

/** Words of English that none of the other languages has. */
const english =
  /\b(the|of|and|with|without|by|is|are|not|does|supports|refutes|removed|remove|restore|stand|this|from|that|which|bag|model|predicts?)\b/i;

/** Texts of the page that are shown or read out, but for names, titles of papers and code. */
const texts = (page: Page) =>
  page.locator('body').evaluate((body) => {
    const found = new Set<string>();
    const kept = 'script, style, cite, code, em, math, .sources, [hreflang], [lang="en"]';
    const walk = document.createTreeWalker(body, NodeFilter.SHOW_TEXT);
    while (walk.nextNode())
      if (!walk.currentNode.parentElement!.closest(kept)) found.add(walk.currentNode.nodeValue!);
    for (const one of body.querySelectorAll('[aria-label]'))
      found.add(one.getAttribute('aria-label')!);
    return [...found].map((text) => text.trim()).filter(Boolean);
  });

test('the menu names each language that has a file', () => {
  const files = readdirSync(here('../../src/strings')).filter((name) => /^\w\w\.ts$/.test(name));
  expect(Object.keys(languages).sort()).toEqual(files.map((name) => name.slice(0, 2)).sort());
});

describe.each(Object.keys(languages).filter((tag) => tag !== 'en'))('%s', (tag) => {
  test('no word is in English, nothing is missing, nothing is wider than a phone', async () => {
    const { page, complaints } = await read(b, `${site.url}${tag}/`, phone);
    const html = page.locator('html');
    expect(await html.getAttribute('lang')).toBe(tag);
    expect(await html.getAttribute('dir')).toBe(tag === 'ar' ? 'rtl' : 'ltr');
    await unfold(page);
    await tile(page, 3).click();
    await page.locator('.board .stuck').waitFor();
    const all = await texts(page);
    expect(all.length).toBeGreaterThan(350);
    expect(all.filter((text) => english.test(text))).toEqual([]);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('another language shows the same bag', async () => {
    const { page } = await read(b, `${site.url}${tag}/#bag=eights`);
    await page.locator('.language summary').click();
    await page.locator('.language a[lang="en"]').click();
    await page.waitForURL(`${site.url}#bag=eights`);
    expect(await page.locator('html').getAttribute('lang')).toBe('en');
    await page.context().close();
  });
});
