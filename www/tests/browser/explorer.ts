// The explorer, opened anew for each test of the file that imports this.
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterEach, beforeEach } from 'vitest';
import { openMenu, visit, type Visit } from './page';
import { b, site } from './site';

export let seen: Visit;
export let page: Page;

beforeEach(async () => {
  seen = await visit(b, site.look);
  page = seen.page;
});
afterEach(() => page.context().close());

/** Goes on with another page, which is then closed after the test. */
export function turnTo(other: Page): void {
  page = other;
}

/** Presses a button that saves a file, and returns the file. */
export async function saved(name: string): Promise<{ name: string; bytes: Buffer }> {
  if (!name.startsWith('Save table')) await openMenu(page, 'Save');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name, exact: true }).click(),
  ]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}
