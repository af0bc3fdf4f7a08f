// The article: the longest tasks of the page's own thread from the first paint on, and what the
// engine computes for an answer.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { answer, figure, live, tile } from '../browser/article';
import { b, site } from '../browser/site';
import { measured } from './measured';
import { PHONE, best, longest, throttle, traced, type Step } from './tasks';

// What is waited for is looked for in one figure: to search all of the article for a text is long
// in itself, and a task of the page.
const fitted = (page: Page, n: number) =>
  figure(page, 'coalitions').locator('.masks .head', { hasText: `φ fitted to ${n}` });

const steps: Record<string, Step> = {
  load: async (page) => {
    await page.goto(site.url);
    await live(page);
  },
  point: async (page) => {
    for (let i = 0; i < 8; i++) await tile(page, i).hover();
  },
  remove: async (page) => {
    await tile(page, 15).click();
    await tile(page, 21).click();
    await page.locator('.board h2', { hasText: 'The model predicts “an 8”' }).waitFor();
  },
  explain: async (page) => {
    await answer(page, 'an 8').click();
    await answer(page, 'an 8 and a 9').click();
  },
  fit: async (page) => {
    await figure(page, 'coalitions').locator('input[type=range]').fill('50');
    await fitted(page, 50).waitFor();
  },
  drag: async (page) => {
    for (const n of ['60', '45', '30'])
      await figure(page, 'coalitions').locator('input[type=range]').fill(n);
    await fitted(page, 30).waitFor();
  },
  bend: async (page) => {
    const alpha = figure(page, 'curve').locator('input[type=range]').first();
    for (const a of ['0.1', '0.2', '0.3']) await alpha.fill(a);
    await figure(page, 'curve')
      .locator('p', { hasText: 'probability α = 0.3, the last' })
      .waitFor({ state: 'attached' });
    // Until the last of the coalitions has its value.
    await expect
      .poll(() => figure(page, 'coalitions').locator('.value').last().innerText())
      .toMatch(/%/);
  },
  vanish: async (page) => {
    for (const m of ['2', '4', '9'])
      await figure(page, 'proof').locator('input[type=range]').fill(m);
  },
  change: async (page) => {
    await page.locator('.picker button', { hasText: 'Vectors' }).click();
    await page.locator('.board h2', { hasText: '24 moments, all in the bag' }).waitFor();
  },
};

/** A visit on a processor so many times slower, from the first screen on or from the beginning. */
async function round(rate: number, loading: boolean): Promise<Record<string, number>> {
  const context = await b.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  const { load, ...others } = steps;
  if (loading) await throttle(page, rate);
  const first = await longest(page, { load: load! });
  if (!loading) await throttle(page, rate);
  const all = { ...first, ...(await longest(page, others)) };
  await context.close();
  return all;
}

test('the longest tasks while it loads, and, on a processor of half the speed, while it answers', () =>
  best('article', () => round(2, false), 50));

test('the longest tasks on a processor four times slower', () =>
  best('article on a phone', () => round(PHONE, true), 200));

test('what a warm engine computes until an instance that was removed is answered', async () => {
  const page = await b.newPage({ viewport: { width: 1280, height: 900 } });
  await page.goto(site.url);
  await live(page);
  const times: number[] = [];
  for (const [n, pair] of [
    [0, 1],
    [2, 3],
    [4, 5],
    [6, 7],
    [8, 9],
    [10, 11],
  ].entries()) {
    const rows = figure(page, 'removing').locator('ol li');
    await tile(page, pair[0]!).click();
    await expect.poll(() => rows.count()).toBe(2);
    // One alone is known from One Removed; of two the engine is asked.
    const { workers } = await traced(page, async () => {
      await tile(page, pair[1]!).click();
      await expect.poll(() => rows.count()).toBe(3);
      await expect.poll(() => rows.last().innerText()).toMatch(/%/);
    });
    if (n > 0) times.push(workers); // the first warms up
    await page.getByRole('button', { name: 'Restore all' }).first().click();
    await expect.poll(() => rows.count()).toBeLessThan(2);
  }
  times.sort((a, z) => a - z);
  expect(times[0]).toBeGreaterThan(0); // the engine was asked
  measured('article: engine, ms', times[Math.floor(times.length / 2)]!, 50);
  await page.close();
});
