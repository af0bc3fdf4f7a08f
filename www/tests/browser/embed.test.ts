// The page for those who embed: what is put together is what is copied, and what is copied works.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { BagExplainer } from 'bagscope/element';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { read, violations, type Reading } from './article';
import { host } from './host';
import { data } from './page';
import { oneFilePage, readmeLines, root, strictPage } from './pages';
import { b, site } from './site';

const phone: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
};

async function open(options: BrowserContextOptions = {}, hash = ''): Promise<Reading> {
  const seen = await read(b, `${site.url}embed/${hash}`, { ...options, alive: false });
  await explained(seen.page);
  return seen;
}

/** Waits until the page's element shows what its attributes ask for. */
async function explained(page: Page, method = 'consensus'): Promise<void> {
  await page.waitForFunction(
    (method) =>
      document.querySelector<BagExplainer>('bag-explainer')?.report?.explanations[0]?.method ===
      method,
    method,
  );
  await page.locator('bag-explainer canvas').waitFor();
}

const scores = (page: Page) =>
  page.evaluate(() =>
    document
      .querySelector<BagExplainer>('bag-explainer')!
      .report!.explanations.map((e) => ({ class: e.class, scores: [...e.scores] })),
  );

/** Lines of HTML in a page of their own on another host, under the policy that the page states. */
async function pasted(
  html: string,
  picture: Buffer,
): Promise<Reading & { close(): Promise<void> }> {
  const folder = strictPage(html, picture);
  const other = await host(folder);
  const seen = await read(b, other.url, { alive: false });
  const close = async () => {
    await seen.page.context().close();
    await other.close();
    rmSync(folder, { recursive: true });
  };
  return { ...seen, close };
}

const code = (page: Page) =>
  page.getByRole('region', { name: 'Copy this into your page' }).innerText();

describe('axe-core finds nothing, and nothing overflows', () => {
  test.each([
    ['light', { viewport: { width: 1280, height: 900 } }],
    ['dark, on a phone', { ...phone, colorScheme: 'dark' }],
  ] as [string, BrowserContextOptions][])('%s', async (_, options) => {
    const { page, complaints } = await open({ ...options, bypassCSP: true });
    for (const summary of await page.locator('main summary').all()) await summary.click();
    expect(await violations(page)).toEqual([]);
    const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(await overflow()).toBeLessThanOrEqual(0);
    await page.setViewportSize({ width: 320, height: 700 });
    await expect.poll(overflow).toBeLessThanOrEqual(0);
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});

test('what is put together is shown, copied, linked, and works from any host', async () => {
  const { page, requests, complaints } = await open({
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  await page.getByLabel('Method', { exact: true }).first().selectOption('One Removed');
  await page.getByLabel('Classes').selectOption('these numbers');
  await page.getByLabel('Class numbers').fill('1,3');
  await page.getByLabel('Bag', { exact: true }).fill('2');
  await page.getByLabel('Theme', { exact: true }).selectOption('dark');
  await page.getByLabel('Drawn as').selectOption('bars');
  await page.getByRole('checkbox', { name: /^Interactive/ }).uncheck();
  await page.waitForFunction(() => {
    const report = document.querySelector<BagExplainer>('bag-explainer')!.report!;
    return report.explanations.length === 2 && report.instances.length === 33;
  });
  await explained(page, 'one_removed');
  // All of it has been answered: what was changed last is the menu, which an element that is not
  // interactive lacks.
  await page.locator('bag-explainer select').waitFor({ state: 'hidden' });
  const html = await code(page);
  expect(html).toContain(
    '<bag-explainer model="model.onnx" bag="bags.npz" index="1" method="one_removed" ' +
      'settings="mnist" classes="1,3" kind="bars" theme="dark">',
  );
  await page.getByRole('button', { name: 'Copy: Copy this into your page' }).press('Enter');
  await page.getByText('Copied').waitFor();
  expect((await page.evaluate(() => navigator.clipboard.readText())).trim()).toBe(html.trim());

  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save the picture' }).click();
  const picture = readFileSync(await (await download).path());
  expect(picture.subarray(1, 4).toString()).toBe('PNG');

  // The link brings the same back.
  const again = await read(b, page.url(), { alive: false });
  await explained(again.page, 'one_removed');
  expect(await code(again.page)).toBe(html);
  await again.page.context().close();

  const copied = await pasted(html, picture);
  await explained(copied.page, 'one_removed');
  expect(await scores(copied.page)).toEqual(await scores(page));
  expect(copied.complaints).toEqual([]);
  expect(complaints).toEqual([]);
  expect(requests.filter((url) => !url.startsWith(site.url) && !url.startsWith('blob:'))).toEqual(
    [],
  );
  await copied.close();
  await page.context().close();
});

test('the lines of the README work as they stand', async () => {
  const html = readmeLines(readFileSync(join(root, 'README.md'), 'utf8'));
  const copied = await pasted(html, readFileSync(join(root, 'examples/digits/explanation.png')));
  await explained(copied.page);
  expect(copied.complaints).toEqual([]);
  await copied.close();
});

describe('one page after another', () => {
  let seen: Reading;
  let page: Page;
  beforeAll(async () => {
    seen = await open({ colorScheme: 'light' });
    page = seen.page;
  });
  afterAll(() => page?.context().close());

  test('as it opens, both 9s of the example are far stronger than its 3s', async () => {
    const nine = (await scores(page)).find((e) => e.class === 2)!.scores;
    // Instances 15 and 21 are 9s, 6 and 24 are 3s.
    const least = Math.min(nine[15]!, nine[21]!);
    expect(least).toBeGreaterThan(4 * Math.max(Math.abs(nine[6]!), Math.abs(nine[24]!)));
  });

  test('the menu of the element and that of the form agree', async () => {
    await page.locator('bag-explainer select').selectOption('single');
    await explained(page, 'single');
    await expect.poll(() => code(page)).toContain('method="single"');
    expect(await page.getByLabel('Method', { exact: true }).first().inputValue()).toBe('single');
  });

  test('colours follow the page’s switch', async () => {
    const corner = () =>
      page.locator('bag-explainer canvas').evaluate((drawn: HTMLCanvasElement) => {
        // A copy to be read from: the browser warns of a canvas of the page that is read again and
        // again.
        const copy = document
          .createElement('canvas')
          .getContext('2d', { willReadFrequently: true })!;
        copy.drawImage(drawn, 0, 0);
        return copy.getImageData(1, 1, 1, 1).data[0]!;
      });
    expect(await corner()).toBeGreaterThan(200);
    await page.getByLabel('Colours').selectOption('dark');
    await expect.poll(corner).toBeLessThan(60);
    await page.getByLabel('Theme', { exact: true }).selectOption('light');
    await expect.poll(corner).toBeGreaterThan(200);
  });

  test.each([
    ['Drawn tissue', 40, 'crc'],
    ['Vectors of two sensors', 24, undefined],
  ])('%s', async (title, instances, settings) => {
    await page.getByLabel('Model and bag').selectOption(title);
    await page.waitForFunction(
      (n) => document.querySelector<BagExplainer>('bag-explainer')!.report!.instances.length === n,
      instances,
    );
    expect((await code(page)).match(/settings="(\w+)"/)?.[1]).toBe(settings);
  });

  test('files of one’s own are explained where they are, and named in what is copied', async () => {
    await page.getByLabel('Model and bag').selectOption('My own files');
    await page.getByText('Choose a model and a bag to see their explanation here.').waitFor();
    const before = seen.requests.length;
    await page.getByLabel('Model (.onnx)').setInputFiles(data('attention4.onnx'));
    await page.getByLabel(/^Bag \(/).setInputFiles(data('two_bags.csv'));
    await explained(page, 'single');
    expect(await code(page)).toContain('model="attention4.onnx" bag="two_bags.csv"');
    expect(seen.requests.slice(before).filter((url) => /onnx|csv/.test(url))).toEqual([]);
  });

  test('nothing was complained about', () => expect(seen.complaints).toEqual([]));
});

test('can be read without script, with the picture in its place', async () => {
  const { page } = await read(b, `${site.url}embed/`, { alive: false, javaScriptEnabled: false });
  await page.getByRole('heading', { name: 'Put an explained bag into your own page' }).waitFor();
  const picture = page.getByRole('img', { name: 'A bag of digits, explained' });
  const size = await picture.evaluate((img: HTMLImageElement) => [
    img.naturalWidth,
    img.naturalHeight,
  ]);
  expect(size).toEqual([1698, 808]);
  // The page keeps room of the same proportions.
  expect(size).toEqual(
    await picture.evaluate((img) =>
      ['width', 'height'].map((x) => 2 * Number(img.getAttribute(x))),
    ),
  );
  expect(await code(page)).toContain('<bag-explainer model="model.onnx"');
  expect(await page.getByRole('button', { name: /^Copy/ }).count()).toBe(0);
  await page.context().close();
});

test('the command for one file writes a page that explains its bag from a disk', async () => {
  const { folder, url } = oneFilePage();
  const { page, complaints } = await read(b, url, { alive: false, offline: true });
  await explained(page);
  expect(complaints).toEqual([]);
  await page.context().close();
  rmSync(folder, { recursive: true });
});
