// The page that measures the browser it is opened in.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { host, type Host } from './host.ts';
import { browser, dist } from './page.ts';
import { long } from '../patience.ts';

let site: Host;
let b: Awaited<ReturnType<typeof browser>>;
beforeAll(async () => {
  [site, b] = await Promise.all([host(dist), browser()]);
});
afterAll(async () => {
  await b.close();
  await site.close();
});

test('a table of what is measured, and the same figures as JSON', async () => {
  const page = await b.newPage({ viewport: { width: 390, height: 800 } });
  const elsewhere: string[] = [];
  page.on('request', (r) => void (r.url().startsWith(site.url) || elsewhere.push(r.url())));
  const complaints: string[] = [];
  page.on('pageerror', (e) => void complaints.push(String(e)));
  await page.goto(`${site.url}bench/#rounds=1&only=digits`);
  await page.getByRole('button', { name: 'Measure' }).click();
  await page.getByText(/^Done in/).waitFor({ timeout: long });
  const rows = await page.locator('tbody tr').all();
  expect(rows.length).toBe(5);
  for (const row of rows) {
    const [ours, plain] = await row.locator('td').allInnerTexts();
    expect(ours).toMatch(/^[\d.]+ ms$/);
    expect(plain).toMatch(/^[\d.]+ ms$/);
  }
  await page.locator('summary').click();
  const figures = JSON.parse(await page.locator('pre').innerText()) as {
    rows: { engine: string; median_ms: number }[];
  };
  const of = (engine: string) =>
    figures.rows.filter((r) => r.engine === engine).map((r) => r.median_ms);
  expect(of('bagscope').length).toBe(5);
  expect(of('plain').length).toBe(5);
  expect(elsewhere).toEqual([]);
  expect(complaints).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  await page.close();
});
