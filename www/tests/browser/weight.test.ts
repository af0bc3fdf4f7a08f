// How little the explorer asks for: until there is something to see, until it answers, and on a
// machine that was here before.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { check } from '../../../tools/dev/sizes/sizes.mjs';
import { b } from './site';
import { host } from './host';
import { data, dist, drop, explained, prediction, visit } from './page';
import { weight } from './weight';

/**
 * The engine, its workers' file and its example: not of the page, which shows a stored explanation
 * until they are there.
 */
const engine = (path: string) => /\.wasm$|^example\/|^assets\/worker-/.test(path) && !later(path);

/** What is fetched after the first explanation, before the page is sealed. */
const later = (path: string) => /^assets\/codec-/.test(path);

test(
  'what shows the first explanation is one page and one picture, and has its recorded size, ' +
    'as have all files until it answers',
  async () => {
    const site = await host(dist);
    const context = await b.newContext({
      viewport: { width: 1280, height: 900 },
      serviceWorkers: 'block',
    });
    const page = await context.newPage();
    let release = () => {};
    const held = new Promise<void>((done) => (release = done));
    let scripts = () => {};
    const late = new Promise<void>((done) => (scripts = done));
    await page.route('**/*.js', async (route) => (await late, route.continue()));
    await page.route('**/*.wasm', async (route) => (await held, route.continue()));
    await page.goto(site.look, { waitUntil: 'commit' });

    // Without any of its scripts.
    expect(await prediction(page).innerText()).toContain('> 99.9 %');
    const poster = page.locator('img.poster');
    expect(
      await poster.evaluate((i: HTMLImageElement) => i.decode().then(() => i.naturalWidth)),
    ).toBe(920);
    const first = site.asked.filter((path) => !path.endsWith('.js'));
    expect(first).toHaveLength(2);
    check('explorer, first explanation', weight(first));

    // With them, alive: the menu of colours answers, and the engine is asked for.
    const asking = page.waitForRequest('**/*.wasm');
    scripts();
    await expect
      .poll(async () => {
        await page.getByLabel('Colours').selectOption('light');
        return page.locator('html').getAttribute('data-theme');
      })
      .toBe('light');
    await asking;
    const own = site.asked.filter((path) => !engine(path));
    expect(own.length).toBeLessThanOrEqual(12);
    check('explorer, until the engine', weight(own));

    expect(site.asked.some(later)).toBe(false);
    release();
    await explained(page);
    // Each of its workers asks for their file, and gets it from the browser's own store where the
    // host lets it be kept.
    check('explorer, engine and example', weight([...new Set(site.asked.filter(engine))]));
    await context.close();
    await site.close();
  },
);

test(
  'a visit with the site kept asks the server for no file whose name says what is in it, ' +
    'and for nothing once it is sealed',
  async () => {
    const site = await host(dist);
    const context = await b.newContext();
    const before = await context.newPage();
    await before.goto(site.url);
    await before.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
    await before.close();

    site.asked.length = 0;
    // Now and then the browser itself looks whether there is a newer service worker.
    const asked = () => site.asked.filter((path) => path !== 'sw.js');
    const { page, requests } = await visit(b, site.look, {}, context);
    expect(asked().filter((path) => path.startsWith('assets/'))).toEqual([]);
    // What has the same name in every version is asked for, since it may be newer: the page itself,
    // model and bags.
    expect(asked().length).toBeLessThanOrEqual(5);
    const [loaded, sent] = [asked().length, requests.length];
    await drop(page, [
      { name: 'attention4.onnx', bytes: readFileSync(data('attention4.onnx')) },
      { name: 'clam.h5', bytes: readFileSync(data('files/clam.h5')) },
    ]);
    await page.getByText('12 patches of 4').waitFor();
    await explained(page);
    expect(asked().length).toBe(loaded);
    expect(requests.slice(sent).filter((url) => !url.startsWith('blob:'))).toEqual([]);
    await context.close();
    await site.close();
  },
);

test('the page about Python loads no engine, and has its recorded size', async () => {
  const site = await host(dist);
  const context = await b.newContext({ serviceWorkers: 'block' });
  const page = await context.newPage();
  await page.goto(`${site.url}python/`, { waitUntil: 'networkidle' });
  await page.getByLabel('Colours').selectOption('light');
  expect(site.asked.length).toBeGreaterThan(2);
  const fetched = site.asked.filter((path) => engine(path) || later(path));
  expect(fetched.filter((path) => !path.endsWith('.png'))).toEqual([]);
  check('python page, without pictures', weight(site.asked.filter((p) => !p.endsWith('.png'))));
  await context.close();
  await site.close();
});
