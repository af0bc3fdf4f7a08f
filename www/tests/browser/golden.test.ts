// The main states of the site as they were seen and found good. GOLDEN=update stores them anew, to
// be looked at before they are committed. Each state has faults that have to be noticed: a picture
// that cannot fail shows nothing.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { live } from './article';
import { boxed, boxedCanvas, changed, difference, TOLERANCE } from './golden';
import { host } from './host';
import { data, drop, explained, grey } from './page';
import { b, site } from './site';

interface State {
  name: string;
  options?: BrowserContextOptions;
  /** Pixels of the screen to one of the picture. */
  by?: number;
  show(page: Page): Promise<unknown>;
  /** Rules of style each of which spoils something. */
  faults: string[];
}

const phone: BrowserContextOptions = { viewport: { width: 390, height: 840 } };

const learn = async (page: Page) => {
  await page.goto(site.url);
  await live(page);
};
const look = async (page: Page) => {
  await page.goto(site.look);
  await explained(page);
  await page.locator('main[data-sealed]').waitFor();
};
const read = (name: string) => ({
  name: name.replace(/^.*\//, ''),
  bytes: readFileSync(data(name)),
});
const picture = async (page: Page) => {
  await look(page);
  // The file says that its slide has 2500 × 2000 pixels.
  const slide = {
    name: 'slide.png',
    bytes: grey(100, 80, (x, y) => (x < 50 === y < 40 ? 225 : 150)),
  };
  await drop(page, [read('attention4.onnx'), read('files/trident.h5'), slide]);
  await page.getByText('12 patches of 4').waitFor();
  await explained(page);
};

const learnt = [
  '.board ul { visibility: hidden }',
  '.board fieldset { visibility: hidden }',
  'h1 { display: none }',
  ':root { --support: #b23c06; --refute: #00705a }',
  ':root { --accent: #b8862f; --paper: #f2e8f6 }',
];
const looked = [
  'canvas[data-cells] { visibility: hidden }',
  'canvas[data-cells] { filter: hue-rotate(90deg) }',
  '.prediction { visibility: hidden }',
  '.panel { visibility: hidden }',
  // Little of the page has the accent alone.
  ':root { --accent: #b8862f; --card: #e4c8ee }',
];
const placed = [
  'canvas[data-scale] { visibility: hidden }',
  'canvas[data-scale] { filter: hue-rotate(90deg) }',
  '.tools { visibility: hidden }',
  '.prediction { visibility: hidden }',
];

/** The picture is in sight below the cards. */
const tall = { viewport: { width: 1280, height: 1200 } };

const states: State[] = [
  { name: 'learn-light', show: learn, faults: learnt },
  { name: 'learn-dark', options: { colorScheme: 'dark' }, show: learn, faults: learnt },
  {
    name: 'learn-phone',
    // The third row is in sight: its digits have colours.
    options: { viewport: { width: 390, height: 1180 } },
    by: 3,
    show: learn,
    faults: [learnt[0]!, learnt[2]!, learnt[3]!],
  },
  { name: 'look-digits', options: tall, show: look, faults: looked },
  {
    name: 'look-digits-dark',
    options: { ...tall, colorScheme: 'dark' },
    show: look,
    faults: looked,
  },
  {
    name: 'look-digits-phone',
    options: { ...phone, viewport: { width: 390, height: 1500 } },
    by: 3,
    // Pictures are small here, so that the numbers above them are a large part of what is seen.
    async show(page) {
      await boxedCanvas(page);
      await look(page);
    },
    faults: [looked[0]!, looked[2]!, looked[4]!],
  },
  { name: 'look-picture', options: tall, show: picture, faults: placed },
  {
    name: 'look-compare',
    // Both pictures are in sight, side by side.
    options: { viewport: { width: 1280, height: 1100 } },
    async show(page) {
      await picture(page);
      await page.getByLabel('Compare with', { exact: true }).selectOption('one_removed');
      await page.locator('canvas[data-scale]').nth(1).waitFor();
      await explained(page);
    },
    faults: [
      'figure:nth-child(2) canvas { visibility: hidden }',
      'figure:nth-child(2) canvas { filter: hue-rotate(90deg) }',
      '.prediction { visibility: hidden }',
    ],
  },
];

async function open({ options = {} }: Pick<State, 'options'>): Promise<Page> {
  const context = await b.newContext({
    viewport: { width: 1280, height: 900 },
    deviceScaleFactor: 1,
    reducedMotion: 'reduce',
    bypassCSP: true,
    locale: 'en',
    ...options,
  });
  return context.newPage();
}

/** Holds a page against its picture, and its faults, too. */
async function hold(page: Page, { name, by = 4, faults }: Omit<State, 'show'>): Promise<void> {
  await boxed(page);
  await expect.poll(() => changed(page, name, by)).toBeLessThanOrEqual(TOLERANCE);
  const noticed: Record<string, number> = {};
  for (const fault of faults) {
    const style = await page.addStyleTag({
      content: fault.replaceAll(/ \}|(?<=[^{]);/g, ' !important$&'),
    });
    noticed[fault] = await difference(page, name, by);
    await style.evaluate((s) => (s as Element).remove());
  }
  // By twice the tolerance at least: what is noticed is so on any machine.
  expect(Object.entries(noticed).filter(([, share]) => share < 2 * TOLERANCE)).toEqual([]);
  await page.context().close();
}

test.each(states)('$name', async (state) => {
  const page = await open(state);
  await state.show(page);
  await hold(page, state);
});

test('element', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bagscope-element-'));
  const tree = (path: string) => data(`../../../${path}`);
  cpSync(tree('wasm/npm/dist'), join(folder, 'bagscope'), { recursive: true });
  for (const name of ['model.onnx', 'bags.npz'])
    cpSync(tree(`examples/digits/${name}`), join(folder, name));
  writeFileSync(
    join(folder, 'index.html'),
    `<!doctype html><meta charset="utf-8"><title>element</title>
    <script type="module" src="bagscope/element.js"></script>
    <bag-explainer model="model.onnx" bag="bags.npz" method="milli" interactive></bag-explainer>`,
  );
  const own = await host(folder);
  const page = await open({ options: { viewport: { width: 900, height: 720 } } });
  await boxedCanvas(page);
  await page.goto(own.url);
  await page.waitForFunction(
    () => (document.querySelector('bag-explainer') as unknown as { report: unknown }).report,
  );
  await hold(page, {
    name: 'element',
    by: 3,
    faults: [
      'bag-explainer { visibility: hidden }',
      'bag-explainer { filter: hue-rotate(90deg) }',
      'bag-explainer { width: 60% }',
    ],
  });
  await own.close();
  rmSync(folder, { recursive: true });
});
