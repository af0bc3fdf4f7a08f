// The explorer, opened anew for each test of the file that imports this.
import type { Page } from 'playwright-core';
import { afterEach, beforeEach } from 'vitest';
import { visit, type Visit } from './page';
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
