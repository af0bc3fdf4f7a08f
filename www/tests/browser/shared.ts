// The explorer, opened once for the tests of the file that imports this. Each begins with the bundled
// example, explained by the usual method; other settings stay as the last test left them.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { explained, openFiles, openMenu, prediction, visit, type Visit } from './page';
import { b, site } from './site';

export let seen: Visit;
export let page: Page;

let used = false;
beforeAll(async () => {
  seen = await visit(b, site.look);
  page = seen.page;
});
afterAll(() => page?.context().close());

beforeEach(async () => {
  if (used) {
    await openFiles(page);
    await openMenu(page, 'Examples');
    await page.getByRole('button', { name: 'Open the bundled example' }).click();
    await page.getByText('digits.npz', { exact: true }).waitFor();
    await prediction(page).getByText('an 8 and a 9').waitFor();
    const method = page.getByLabel(/^How to score /);
    if ((await method.inputValue()) !== 'consensus') await method.selectOption('consensus');
    await page
      .getByText(/^Consensus[:,]/)
      .first()
      .waitFor();
    await explained(page);
  }
  used = true;
});
