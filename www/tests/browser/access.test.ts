// For everybody: keyboard alone, phones, light and dark, reduced motion, any path of a static host,
// axe-core's rules.
import { readFileSync } from 'node:fs';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { host } from './host';
import { violations } from './article';
import { b, site } from './site';
import {
  cells,
  data,
  dist,
  drop,
  explained,
  heard,
  openAll,
  prediction,
  spot,
  visit,
} from './page';

const phone: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
};

async function open(options: BrowserContextOptions = {}, url = site.look): Promise<Page> {
  return (await visit(b, url, options)).page;
}

const overflow = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

describe('axe-core finds nothing', () => {
  test.each([
    ['light', {}],
    ['dark', { colorScheme: 'dark' }],
    ['on a phone', phone],
  ] as [string, BrowserContextOptions][])('%s', async (_, options) => {
    const page = await open(options);
    expect(await violations(page)).toEqual([]);
    // With everything open, something out, and an error on the page.
    await openAll(page);
    await page.getByRole('button', { name: 'Remove digit 1', exact: true }).click();
    await page.getByText('With 1 of 29 digits removed').waitFor();
    await drop(page, [{ name: 'broken.onnx', bytes: Buffer.from('no model') }]);
    await page.getByRole('button', { name: 'Close this message' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.context().close();
  });
});

test('with the keyboard alone: through the bag, an instance out, a method, an explanation', async () => {
  const page = await open();
  await page.keyboard.press('Tab');
  expect(await page.evaluate(() => document.activeElement?.textContent)).toContain(
    'Skip to the explanation',
  );
  await page.keyboard.press('Enter');
  const focused = () =>
    page.evaluate(
      () =>
        document.activeElement?.getAttribute('aria-label') ??
        document.activeElement?.textContent ??
        '',
    );
  const tabTo = async (words: RegExp) => {
    for (let i = 0; i < 60 && !words.test(await focused()); i++) await page.keyboard.press('Tab');
    expect(await focused()).toMatch(words);
  };
  await tabTo(/^digit \d+ (supports|refutes|does not stand out)/);
  await page.keyboard.press('Home');
  const [first] = (await cells(page))[0]!;
  expect(await focused()).toMatch(new RegExp(`^digit ${first! + 1} `));
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowDown');
  const at = Number((await focused()).match(/\d+/)![0]);
  expect(at).not.toBe(first! + 1);
  await page.getByRole('heading', { name: `Digit ${at}`, exact: true }).waitFor();
  expect(await page.getByRole('status').innerText()).toMatch(
    new RegExp(`^digit ${at} (supports|refutes|does not stand out)`),
  );
  const sentences = await heard(page);
  await page.keyboard.press('Delete');
  await page.getByText('With 1 of 29 digits removed').waitFor();
  await expect
    .poll(sentences)
    .toContainEqual(expect.stringMatching(/removed\. “an 8 and a 9” is now at/));
  await page.keyboard.press('x');
  await page.getByText('For all 29 digits').waitFor();
  // On to the form: End chooses the last method of the menu, which is all of them.
  await page.getByLabel(/^How to score /).focus();
  await page.keyboard.press('End');
  await page.getByRole('group', { name: 'Method drawn' }).waitFor();
  await page.context().close();
});

test('what has the focus is seen', async () => {
  const page = await open();
  for (let i = 0; i < 25; i++) {
    await page.keyboard.press('Tab');
    const seen = await page.evaluate(() => {
      const chain: Element[] = [];
      for (let e = document.activeElement; e && chain.length < 3; e = e.parentElement)
        chain.push(e);
      return chain.some(
        (e) =>
          getComputedStyle(e).outlineStyle !== 'none' &&
          parseFloat(getComputedStyle(e).outlineWidth) >= 2,
      );
    });
    expect(seen, await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 120))).toBe(
      true,
    );
  }
  await page.context().close();
});

describe('narrow', () => {
  test.each([320, 360, 390])('nothing overflows at %i pixels', async (width) => {
    const page = await open({ viewport: { width, height: 800 } });
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    await drop(page, [
      { name: 'attention4.onnx', bytes: readFileSync(data('attention4.onnx')) },
      { name: 'two_bags.csv', bytes: readFileSync(data('two_bags.csv')) },
    ]);
    await page.getByText('1 of 2', { exact: true }).waitFor();
    await explained(page);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    // A map, and classes with long names.
    const classes = [
      'calm',
      'adenocarcinoma of the stomach, with signet-ring cells and metastases',
    ];
    await drop(page, [
      { name: 'attention4.onnx', bytes: readFileSync(data('attention4.onnx')) },
      { name: 'card.bagscope.json', bytes: Buffer.from(JSON.stringify({ classes })) },
      { name: 'clam.h5', bytes: readFileSync(data('files/clam.h5')) },
    ]);
    await page.getByLabel('Class on the picture').waitFor();
    await page.locator('main[aria-busy="false"]').waitFor();
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    await page.context().close();
  });

  test('on a phone a touch selects, a second one changes nothing, and the card removes', async () => {
    const page = await open(phone);
    const { x, y } = await spot(page, 1);
    await page.touchscreen.tap(x, y);
    await page.getByRole('heading', { name: 'Digit 2', exact: true }).waitFor();
    expect(await prediction(page).innerText()).not.toContain('was');
    await page.touchscreen.tap(x, y);
    expect(await prediction(page).innerText()).not.toContain('was');
    await page
      .locator('section[aria-labelledby="instance-title"]')
      .getByRole('button', { name: 'Remove', exact: true })
      .tap();
    await page.getByText('With 1 of 29 digits removed').waitFor();
    await page.context().close();
  });
});

describe('dark', () => {
  const ground = (page: Page) =>
    page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const light = (rgb: string) =>
    rgb
      .match(/\d+/g)!
      .slice(0, 3)
      .map(Number)
      .reduce((a, v) => a + v, 0) / 3;
  const corner = (page: Page) =>
    page
      .locator('canvas[data-cells]')
      .evaluate((c: HTMLCanvasElement) => c.getContext('2d')!.getImageData(1, 1, 1, 1).data[0]!);

  test('the page follows the system, and the picture the page', async () => {
    const page = await open({ colorScheme: 'dark' });
    expect(light(await ground(page))).toBeLessThan(60);
    expect(await corner(page)).toBeLessThan(60);
    await page.emulateMedia({ colorScheme: 'light' });
    expect(light(await ground(page))).toBeGreaterThan(200);
    await expect.poll(() => corner(page)).toBeGreaterThan(200);
    await page.context().close();
  });

  test('a choice wins over the system and is remembered', async () => {
    const page = await open();
    await page.getByLabel('Colours').selectOption('dark');
    expect(light(await ground(page))).toBeLessThan(60);
    await page.reload();
    await explained(page);
    expect(light(await ground(page))).toBeLessThan(60);
    expect(await corner(page)).toBeLessThan(60);
    await page.context().close();
  });
});

test('nothing moves for those who want no motion', async () => {
  const page = await open({ reducedMotion: 'reduce' });
  const moving = await page.evaluate(
    () =>
      [...document.querySelectorAll('*')].filter(
        (e) => parseFloat(getComputedStyle(e).transitionDuration) > 0,
      ).length,
  );
  expect(moving).toBe(0);
  await page.context().close();
});

test('a dense screen gets a dense picture of the same size', async () => {
  const [one, two] = [await open({ deviceScaleFactor: 1 }), await open({ deviceScaleFactor: 2 })];
  const size = (page: Page) =>
    page.locator('canvas[data-cells]').evaluate((c: HTMLCanvasElement) => ({
      pixels: c.width,
      css: c.getBoundingClientRect().width,
    }));
  const [a, z] = [await size(one), await size(two)];
  expect(z.pixels).toBe(2 * a.pixels);
  expect(z.css).toBeCloseTo(a.css, 0);
  await one.context().close();
  await two.context().close();
});

test('the page works below any path of a static host', async () => {
  const deep = await host(dist, '/some/where/bagscope/');
  const seen = await visit(b, deep.look);
  expect((await cells(seen.page)).length).toBeGreaterThan(29);
  expect(seen.requests.every((url) => url.startsWith(deep.url))).toBe(true);
  expect(seen.complaints).toEqual([]);
  await seen.page.context().close();
  await deep.close();
});

/** The least model and bag that are somebody's own, as one dialog chooses them. */
const own = [data('attention4.onnx'), data('files/clam.h5')];

test('12 key presses open files, remove the strongest, undo that and save', async () => {
  const context = await b.newContext({ serviceWorkers: 'block' });
  const page = await context.newPage();
  await page.goto(site.look + '?example=none');
  await page.locator('main[data-sealed]').waitFor();
  let presses = 0;
  const press = (key: string) => (presses++, page.keyboard.press(key));
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), press('Control+o')]);
  expect(chooser.isMultiple()).toBe(true);
  await chooser.setFiles(own);
  await page.getByText('For all 12 patches').waitFor();
  await explained(page);
  const strongest = await page.getByRole('heading', { name: /^Patch \d+$/ }).innerText();
  await press('Delete');
  await page.getByText('With 1 of 12 patches removed').waitFor();
  const index = Number(strongest.replace('Patch ', '')) - 1;
  expect(page.url()).toMatch(new RegExp(`out=${index}(&|$)`)); // addresses have indices
  expect(await page.locator('.sentence').innerText()).toMatch(/The model (now )?predicts/);
  await press('Control+z');
  await page.getByText('For all 12 patches').waitFor();
  await explained(page);
  const [report] = await Promise.all([page.waitForEvent('download'), press('Control+s')]);
  expect(report.suggestedFilename()).toMatch(/\.html$/);
  expect(await page.getByRole('status').last().innerText()).toMatch(/is saved\.$/);
  // The skip link leads to the sentence, and the picture comes next.
  await press('Tab');
  await press('Enter');
  expect(await page.evaluate(() => document.activeElement!.getAttribute('aria-labelledby'))).toBe(
    'prediction-title',
  );
  expect(presses).toBeLessThanOrEqual(12);
  await context.close();
});

test('8 taps open files, remove the strongest, undo that and save', async () => {
  const context = await b.newContext({
    ...{ serviceWorkers: 'block', viewport: { width: 390, height: 844 } },
    ...{ isMobile: true, hasTouch: true },
  });
  const page = await context.newPage();
  await page.goto(site.look + '?example=none');
  await page.locator('main[data-sealed]').waitFor();
  let taps = 0;
  const tap = (what: Locator) => (taps++, what.tap());
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    tap(page.locator('label.zone').first()),
  ]);
  await chooser.setFiles(own);
  await page.getByText('For all 12 patches').waitFor();
  await explained(page);
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const seen = (what: Locator) =>
    what.evaluate((e) => e.getBoundingClientRect().bottom <= innerHeight && e.checkVisibility());
  expect(await seen(button('Remove').first())).toBe(true);
  await tap(button('Remove').first());
  await page.getByText('With 1 of 12 patches removed').waitFor();
  expect(await seen(page.locator('.sentence'))).toBe(true);
  await tap(button('Undo').first());
  await page.getByText('For all 12 patches').waitFor();
  await tap(page.locator('summary', { hasText: 'Save' }));
  const [report] = await Promise.all([page.waitForEvent('download'), tap(button('Save report'))]);
  expect(report.suggestedFilename()).toMatch(/\.html$/);
  expect(taps).toBeLessThanOrEqual(8);
  await context.close();
});

test('Escape folds the files of a narrow window, and the keyboard stays there', async () => {
  const page = await open({ viewport: { width: 390, height: 844 } });
  const fold = page.locator('button.fold');
  await fold.press('Enter');
  expect(await fold.getAttribute('aria-expanded')).toBe('true');
  await page.getByLabel('Choose bag').focus();
  await page.keyboard.press('Escape');
  expect(await fold.getAttribute('aria-expanded')).toBe('false');
  expect(await fold.evaluate((e) => e === document.activeElement)).toBe(true);
  await page.context().close();
});
