// Pages that are opened from a disk, where no module runs: they say so, and what to do.
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { dist } from './page';
import { b, site } from './site';

const pages = ['index', 'look/index', 'embed/index', 'python/index', 'docs/index', 'docs/gpu'];

test.each(pages)('%s.html says on a disk that it needs a server, and not on one', async (name) => {
  const page = await b.newPage();
  const notice = page.getByRole('alert').filter({ hasText: 'opened from a disk' });
  await page.goto(pathToFileURL(`${dist}/${name}.html`).href);
  await notice.waitFor();
  expect(await notice.textContent()).toContain('bagscope serve --share --site FOLDER');
  const box = (await notice.boundingBox())!;
  expect(box.y).toBe(0);
  expect(box.width).toBe(page.viewportSize()!.width);
  await page.goto(new URL(`${name}.html`.replace('index.html', ''), site.url).href);
  expect(await page.locator('#disk').isVisible()).toBe(false);
  await page.close();
});
