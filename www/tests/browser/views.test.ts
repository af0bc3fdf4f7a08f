// The explorer's other views for everybody: a picture, two side by side, many bags and figures of
// faith under axe-core's rules; by keyboard alone; on paper; on the largest screens.
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { live, violations } from './article';
import { b, site } from './site';
import { data, drop, explained, grey, visit, openMenu } from './page';

const read = (name: string) => ({
  name: name.replace(/^.*\//, ''),
  bytes: readFileSync(data(name)),
});
const overflow = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

test.each([
  ['light', {}],
  ['dark, on a phone', { colorScheme: 'dark' as const, viewport: { width: 390, height: 844 } }],
])(
  'axe-core finds nothing in a picture, two of them, measured, and a table of bags: %s',
  async (_, options) => {
    const { page } = await visit(b, site.look, options);
    const slide = { name: 'slide.png', bytes: grey(100, 80, () => 200) };
    await drop(page, [read('attention4.onnx'), read('files/trident.h5'), slide]);
    // A phone shows the name alone.
    await page.getByText('12 patches of 4').waitFor({ state: 'attached' });
    await explained(page);
    expect(await violations(page)).toEqual([]);
    await page.getByLabel('Compare with', { exact: true }).selectOption('one_removed');
    await page.locator('canvas[data-scale]').nth(1).waitFor();
    await openMenu(page, 'More');
    await page.getByRole('button', { name: 'Lasso' }).click();
    await page.getByRole('button', { name: 'Measure faithfulness' }).click();
    await page.locator('figure svg[role="img"]').waitFor();
    await page.getByRole('button', { name: 'Explain this bag' }).click();
    await page.locator('section[aria-labelledby="batch-title"] tbody tr').waitFor();
    await explained(page);
    expect(await violations(page)).toEqual([]);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    await page.context().close();
  },
);

test.each([1280, 390])('long names are cut and do not widen a page of %s pixels', async (width) => {
  const { page } = await visit(b, site.look, { viewport: { width, height: 844 } });
  const [model, bag] = ['M'.repeat(5000), 'Q'.repeat(1000)];
  const classes = ['A'.repeat(5000), 'B' + '😀'.repeat(2500)];
  await drop(page, [
    { ...read('attention4.onnx'), name: `${model}.onnx` },
    { name: `${model}.bagscope.json`, bytes: Buffer.from(JSON.stringify({ classes })) },
    {
      name: 'bags.csv',
      bytes: Buffer.from(String(read('two_bags.csv').bytes).replaceAll('quiet', bag)),
    },
  ]);
  await page.getByText('1 of 2', { exact: true }).waitFor();
  await explained(page);
  await page.getByLabel('Compare with', { exact: true }).selectOption('one_removed');
  await page.getByText('One Removed: “AAA', { exact: false }).first().waitFor();
  await page.getByRole('button', { name: 'Find smallest sets' }).click();
  await page.getByText('Necessary for “').waitFor();
  await page.getByRole('button', { name: 'Measure faithfulness' }).click();
  await page.locator('figure svg[role="img"]').first().waitFor();
  await page.getByRole('button', { name: 'Explain all 2 bags' }).click();
  await page.locator('section[aria-labelledby="batch-title"] tbody tr').nth(1).waitFor();
  await page
    .locator('details')
    .evaluateAll((all) => all.forEach((d) => ((d as HTMLDetailsElement).open = true)));
  await explained(page);
  // The letters that stand for them are seen above the columns.
  const letters = await page
    .locator('.frame .above')
    .evaluateAll((all) =>
      all.map(
        (l) => l.getBoundingClientRect().top - l.closest('.frame')!.getBoundingClientRect().top,
      ),
    );
  expect(letters.length).toBe(3);
  expect(Math.min(...letters)).toBeGreaterThanOrEqual(0);
  expect(await page.evaluate(() => document.scrollingElement!.scrollWidth)).toBe(width);
  expect(await page.locator('body').innerText()).not.toMatch(/([A-Z])\1{100}|\\ud83d/);
  await page.context().close();
});

test(
  'with the keyboard alone: another class beside it, figures of faith, a table of bags, ' +
    'and a bag out of it',
  async () => {
    const { page } = await visit(b, site.look);
    const named = (words: string) =>
      page.evaluate((words) => {
        const e = document.activeElement as HTMLElement;
        const label =
          e.getAttribute('aria-label') ?? (e as HTMLInputElement).labels?.[0]?.innerText;
        return (label ?? (e.matches('button, a') ? e.innerText : '')).includes(words);
      }, words);
    const tabTo = async (words: string) => {
      for (let i = 0; i < 120 && !(await named(words)); i++) await page.keyboard.press('Tab');
      expect(await named(words), words).toBe(true);
    };
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter'); // over the head of the page
    await tabTo('Compare with');
    await page.keyboard.press('O');
    await page.getByText('One Removed: “', { exact: false }).first().waitFor();
    await explained(page);
    await tabTo('Measure faithfulness');
    await page.keyboard.press('Enter');
    await page.locator('figure svg[role="img"]').waitFor();
    await tabTo('Explain all 6 bags');
    await page.keyboard.press('Enter');
    const rows = page.locator('section[aria-labelledby="batch-title"] tbody tr');
    await expect.poll(() => rows.count()).toBe(6);
    await page.getByRole('button', { name: 'Explain all 6 bags' }).waitFor();
    const third = (await rows.nth(2).getByRole('button').innerText()).trim();
    await tabTo(third);
    await page.keyboard.press('Enter');
    await page.getByText('3 of 6').waitFor();
    await explained(page);
    await page.context().close();
  },
);

test(
  'on paper there is what was found and nothing to press, dark on light whatever was ' + 'chosen',
  async () => {
    const { page } = await visit(b, site.look);
    await page.getByLabel('Colours').selectOption('dark');
    await page.emulateMedia({ media: 'print' });
    const bars = page.locator('.bars .bar');
    expect((await bars.last().boundingBox())!.width).toBeGreaterThan(100);
    expect(
      await page.locator('main :is(button, select, input):not(thead button):visible').count(),
    ).toBe(0);
    const ink = await page
      .locator('h1')
      .evaluate((e) => getComputedStyle(e).color.match(/\d+/g)!.map(Number));
    expect(Math.max(...ink)).toBeLessThan(80);
    // All rows of the table, not those of a frame that scrolls.
    const table = page.locator('section[aria-labelledby="table-title"] .scroll');
    expect(await table.evaluate((e) => e.scrollHeight - e.clientHeight)).toBeLessThanOrEqual(0);
    await page.context().close();
  },
);

test('the article is on paper to its end', async () => {
  const page = await b.newPage();
  await page.goto(site.url);
  await live(page);
  await page.emulateMedia({ media: 'print' });
  const empty = () =>
    page
      .locator('main > .part > :is(.text, .page)')
      .evaluateAll(
        (all) => all.filter((e) => getComputedStyle(e).contentVisibility !== 'visible').length,
      );
  expect(await empty()).toBe(0);
  await page.close();
});

test('on a screen of 3840 pixels letters are large, names are whole and nothing overflows', async () => {
  const { page } = await visit(b, site.look, { viewport: { width: 3840, height: 2160 } });
  expect(
    await page.evaluate(() => parseFloat(getComputedStyle(document.documentElement).fontSize)),
  ).toBeGreaterThan(20);
  expect(await overflow(page)).toBeLessThanOrEqual(0);
  const cut = await page
    .locator('.stage > span[title]')
    .evaluateAll((all) => all.filter((e) => e.scrollWidth > e.clientWidth).length);
  expect(cut).toBe(0);
  await page.context().close();
});
