// After one visit the site works without a network, keeps nothing but itself, and takes up what is
// new without disturbing a page that is open.
import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BagExplainer } from 'bagscope/element';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { live, tile } from './article';
import { host } from './host';
import { browser, data, dist, drop, explained, openMenu, visit as visitExplorer } from './page';

let b: Browser;
let folder: string;
beforeAll(async () => {
  b = await browser();
  folder = mkdtempSync(join(tmpdir(), 'bagscope-site-'));
  cpSync(dist, folder, { recursive: true, filter: (path) => !path.includes('/bench') });
});
afterAll(async () => {
  await b?.close();
  rmSync(folder, { recursive: true, force: true });
});

const sha256 = (path: string) => createHash('sha256').update(readFileSync(path)).digest('base64');

const names = (page: Page) =>
  page.evaluate(async () => {
    const all: Record<string, string[]> = {};
    for (const name of await caches.keys())
      all[name] = (await (await caches.open(name)).keys()).map((r) => new URL(r.url).pathname);
    return all;
  });

/** Opens the article and waits until the site is kept. */
async function visit(context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(url);
  await live(page);
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  return page;
}

test('article, explorer, element and page about Python work without a server, and only the site is kept', async () => {
  const site = await host(folder, '/some/path/');
  const context = await b.newContext();
  const first = await visit(context, site.url);
  const kept = await names(first);
  expect(Object.keys(kept).length).toBe(1);
  await first.close();
  await site.close();

  const page = await context.newPage();
  await page.goto(site.url);
  await live(page);
  await tile(page, 15).click();
  await page.getByRole('heading', { name: '1 removed' }).waitFor();
  await page.goto(site.look);
  await explained(page);
  // Somebody's own bag goes into no cache.
  await drop(page, [
    { name: 'attention4.onnx', bytes: readFileSync(data('attention4.onnx')) },
    { name: 'two_bags.csv', bytes: readFileSync(data('two_bags.csv')) },
  ]);
  await page.getByText('1 of 2', { exact: true }).waitFor();
  await explained(page);
  await page.goto(`${site.url}embed/`);
  await page.waitForFunction(() => document.querySelector<BagExplainer>('bag-explainer')?.report);
  await page.goto(`${site.url}python/`);
  await page.getByRole('heading', { name: 'Explain models of bags in Python' }).waitFor();
  expect(await names(page)).toEqual(kept);
  await context.close();
});

test('files of features open in a sealed page without a network or a server', async () => {
  const site = await host(folder);
  const context = await b.newContext();
  const { page, requests, complaints } = await visitExplorer(b, site.look, {}, context);
  await context.setOffline(true);
  await site.close();
  const before = requests.length;
  const read = (name: string) => readFileSync(data(name));
  await drop(page, [
    { name: 'attention4.onnx', bytes: read('attention4.onnx') },
    { name: 'clam.h5', bytes: read('files/clam.h5') },
  ]);
  await page.getByText('12 patches of 4').waitFor();
  await explained(page);
  const torch = read('../../../core/bagio/testdata/torch/dict.pt');
  await drop(page, [{ name: 'dict.pt', bytes: torch }]);
  await page.getByText('5 instances of 4').waitFor();
  await explained(page);
  expect(await page.getByRole('alert').innerText()).toBe('');
  expect(requests.slice(before).filter((url) => !url.startsWith('blob:'))).toEqual([]);
  expect(complaints).toEqual([]);
  await context.close();
});

test('a visit to the explorer alone keeps the site as well, before the page is sealed', async () => {
  const site = await host(folder);
  const context = await b.newContext();
  const { page } = await visitExplorer(b, site.look, {}, context);
  const asked = site.asked.length;
  const kept = await names(page);
  expect(Object.values(kept).flat()).toContain('/embed/');
  await drop(page, [{ name: 'attention4.onnx', bytes: readFileSync(data('attention4.onnx')) }]);
  await page.getByText('The model takes instances of 4. Open a bag to check it.').waitFor();
  expect(site.asked.length).toBe(asked);
  await page.close();
  await site.close();

  const article = await context.newPage();
  await article.goto(site.url);
  await live(article);
  expect(await names(article)).toEqual(kept);
  await context.close();
});

test('a host that answers a page for a missing file: nothing is kept, and the site works', async () => {
  const poisoned = join(folder, 'icon-512.png');
  const icon = readFileSync(poisoned);
  writeFileSync(poisoned, '<!doctype html><title>Sign in</title>');
  const site = await host(folder);
  const context = await b.newContext();
  const { page } = await visitExplorer(b, site.look, {}, context);
  const workers = () =>
    page.evaluate(async () => {
      const registration = await navigator.serviceWorker.getRegistration();
      return [registration?.installing, registration?.waiting, registration?.active];
    });
  expect((await workers()).filter(Boolean)).toEqual([]);
  expect(Object.values(await names(page)).flat()).not.toContain('/icon-512.png');
  writeFileSync(poisoned, icon);
  await page.reload();
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  expect(Object.values(await names(page)).flat()).toContain('/icon-512.png');
  await site.close();
  await context.close();
});

test(
  'a network that was opened works without a server, and one that was not is said to be ' +
    'missing',
  async () => {
    const site = await host(folder);
    const context = await b.newContext();
    const { page, complaints } = await visitExplorer(
      b,
      `${site.look}?example=mi-attn`,
      {},
      context,
    );
    const kept = Object.values(await names(page)).flat();
    expect(kept.filter((path) => path.startsWith('/assets/') && path.endsWith('.onnx'))).toEqual([
      expect.stringMatching(/mi-attn-/),
    ]);
    expect(
      site.asked.filter((path) => path.endsWith('.onnx') && path.startsWith('assets/')),
    ).toHaveLength(1);
    expect(complaints).toEqual([]);
    await site.close();

    await page.reload();
    await page.getByText('mi-attn.onnx', { exact: true }).waitFor();
    await explained(page);
    await page.locator('main[data-sealed]').waitFor();
    await page.goto(`${site.look}?example=mi-gnn`);
    await expect
      .poll(() => page.getByRole('alert').innerText())
      .toContain('The example could not be opened');
    await openMenu(page, 'Examples');
    await page.getByRole('link', { name: 'The first', exact: true }).click();
    await page.getByText('digits.onnx', { exact: true }).waitFor();
    await explained(page);
    await context.close();
  },
);

test(
  'a slide that was opened works without a server, and the example of everybody is kept ' + 'once',
  async () => {
    const site = await host(folder);
    const context = await b.newContext();
    const { page } = await visitExplorer(b, `${site.look}?example=tissue`, {}, context);
    const kept = await names(page);
    expect(kept['bagscope-opened']).toEqual([expect.stringMatching(/^\/assets\/slide-/)]);
    const all = Object.values(kept).flat();
    expect(all.filter((path) => path === '/example/tissue/model.onnx')).toHaveLength(1);
    await site.close();

    await page.reload();
    await page.getByText('slide.png', { exact: true }).waitFor();
    await explained(page);
    await context.close();
  },
);

test(
  'a new version is seen by the next visit, an open page keeps its own, and of what was ' +
    'opened what is still there stays',
  async () => {
    const site = await host(folder);
    const context = await b.newContext();
    const old = await visit(context, site.url);
    const [version] = Object.keys(await names(old));
    const [, list] = /const EXAMPLES = JSON\.parse\('([^']+)'/.exec(
      readFileSync(join(folder, 'sw.js'), 'utf8'),
    )!;
    const [example] = JSON.parse(list!) as string[];
    await old.evaluate(
      async (files) => {
        const opened = await caches.open('bagscope-opened');
        for (const file of files) await opened.put(file, new Response('a network'));
      },
      [example!, 'assets/gone-00000000.onnx'],
    );

    const change = (file: string, from: string | RegExp, to: string) =>
      writeFileSync(join(folder, file), readFileSync(join(folder, file), 'utf8').replace(from, to));
    const before = sha256(join(folder, 'index.html'));
    change('index.html', '</head>', '<meta name="edition" content="newer"></head>');
    change('sw.js', /const VERSION = '\w+'/, "const VERSION = 'newer'");
    change('sw.js', before, sha256(join(folder, 'index.html')));

    const next = await context.newPage();
    await next.goto(site.url);
    await next.locator('meta[name=edition]').waitFor({ state: 'attached' });
    // The newer version lies beside the older one, which is in use.
    await next.evaluate(() =>
      navigator.serviceWorker.ready.then((r) => r.update()).then(() => undefined),
    );
    await expect.poll(() => names(next).then(Object.keys)).toContain('bagscope newer');
    expect(Object.keys(await names(next))).toContain(version);
    await old.getByRole('button', { name: 'Two 8s', exact: true }).click();
    await old.getByRole('heading', { name: '33 digits, all in the bag' }).waitFor();

    await old.close();
    await next.close();
    let last = await visit(context, site.url);
    const left = async () => {
      // The older version stays if this page came before the browser had closed the others.
      await last.close();
      last = await visit(context, site.url);
      return Object.keys(await names(last)).sort();
    };
    await expect.poll(left).toEqual(['bagscope newer', 'bagscope-opened']);
    await expect
      .poll(() => names(last).then((all) => all['bagscope-opened']))
      .toEqual([`/${example}`]);
    await context.close();
    await site.close();
  },
);

test('what the service worker keeps is what was built', () => {
  const [, list] = /const FILES = JSON\.parse\('([^']+)'/.exec(
    readFileSync(join(dist, 'sw.js'), 'utf8'),
  )!;
  const files = Object.entries(JSON.parse(list!) as Record<string, string>);
  expect(files.length).toBeGreaterThan(50);
  for (const [file, hash] of files)
    expect([file, sha256(join(dist, file.replace(/(^|\/)(\.\/)?$/, '$1index.html')))]).toEqual([
      file,
      hash,
    ]);
});

test('the headers for static hosts are those of serve, and no file that the site keeps', () => {
  const read = (path: string) => readFileSync(join(dist, path), 'utf8');
  expect(read('_headers')).toBe(read('../../tools/service/site/_headers'));
  expect(read('sw.js')).not.toContain('_headers');
});

test('the manifest makes it installable', () => {
  const manifest = JSON.parse(readFileSync(join(dist, 'site.webmanifest'), 'utf8')) as {
    start_url: string;
    icons: { src: string; sizes: string }[];
  };
  expect(manifest.start_url).toBe('./');
  for (const { src, sizes } of manifest.icons) {
    const icon = readFileSync(join(dist, src));
    expect(`${icon.readUInt32BE(16)}x${icon.readUInt32BE(20)}`).toBe(sizes);
  }
});
