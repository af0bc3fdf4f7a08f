// What the tests do to the article, in its own words.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export interface Reading {
  page: Page;
  requests: string[];
  complaints: string[];
}

/** Opens the article; with `alive`, waits until the engine answers. */
export async function read(
  b: Browser,
  url: string,
  { alive = true, ...options }: BrowserContextOptions & { alive?: boolean } = {},
): Promise<Reading> {
  // Keeping the site takes half a second of each visit; tests of that say so in their options.
  const context = await b.newContext({ serviceWorkers: 'block', ...options });
  const page = await context.newPage();
  const seen: Reading = { page, requests: [], complaints: [] };
  context.on('request', (r) => void seen.requests.push(r.url()));
  page.on('pageerror', (e) => void seen.complaints.push(String(e)));
  page.on('console', (m) => {
    if (m.text().includes('Service Worker registration blocked')) return;
    if (m.type() === 'error' || m.type() === 'warning') seen.complaints.push(m.text());
  });
  await page.goto(url);
  if (alive) await live(page);
  return seen;
}

export async function live(page: Page): Promise<void> {
  await page.locator('[data-phase="live"]').waitFor({ state: 'attached' });
}

/** What axe-core finds wrong, as "rule: element". */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const results = await page.evaluate(() =>
    (
      globalThis as unknown as {
        axe: {
          run(
            options: object,
          ): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
        };
      }
    ).axe.run({ resultTypes: ['violations'], selectors: false }),
  );
  return results.violations.flatMap((v) => v.nodes.map((n) => `${v.id}: ${n.html.slice(0, 160)}`));
}

/** The tiles of the bag at the top. */
export const tile = (page: Page, i: number) => page.locator('.board li button').nth(i);

/** A row of what the model says: "an 8 and a 9 > 99.9 %". */
export const answer = (page: Page, name: string) =>
  page.locator('.board fieldset label').filter({ has: page.getByText(name, { exact: true }) });

/** A section by the id of its heading, as the text that it shows. */
export const figure = (page: Page, id: string) =>
  page.locator('.part').filter({ has: page.locator(`#${id}`) });

/** Opens everything that a first reading can skip. */
export async function unfold(page: Page): Promise<void> {
  for (const summary of await page.locator('.text summary').all()) await summary.click();
}

/** How many pixels the page is wider than the window. */
export const overflow = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
