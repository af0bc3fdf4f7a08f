// The article for everybody: axe-core's rules, formulas by keyboard, phones and other widths, the
// system's colours, reduced motion, paper.
import type { BrowserContextOptions } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { overflow, read, unfold, tile, violations } from './article';
import { b, site } from './site';

const phone: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
};

describe('axe-core finds nothing', () => {
  test.each([
    ['light', {}],
    ['dark', { colorScheme: 'dark' }],
    ['on a phone', phone],
  ] as [string, BrowserContextOptions][])('%s', async (_, options) => {
    const { page } = await read(b, site.url, options);
    expect(await violations(page)).toEqual([]);
    for (const summary of await page.locator('summary').all()) await summary.click();
    await tile(page, 3).click();
    await page.getByRole('heading', { name: '1 removed' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.context().close();
  });
});

test(
  'a formula that is wider than a phone, whatever its font, scrolls by keyboard and says ' +
    'where it goes on',
  async () => {
    const { page } = await read(b, site.url, phone);
    await unfold(page);
    // Every font has some text that is too wide; letters of this size are too wide in all of them.
    await page
      .locator('math')
      .evaluateAll((all) => all.forEach((m) => ((m as HTMLElement).style.fontSize = '5rem')));
    const formulas = page.locator('.formula');
    expect(await formulas.count()).toBeGreaterThan(5);
    for (const formula of await formulas.all()) {
      await formula.scrollIntoViewIfNeeded();
      await expect.poll(() => formula.getAttribute('tabindex')).toBe('0');
      expect(await formula.evaluate((e) => e.scrollWidth - e.clientWidth)).toBeGreaterThan(0);
      expect(await formula.getAttribute('aria-label')).toBe('Formula, scrollable');
      // What lies at its right edge is no longer the ground alone.
      const edge = await formula.evaluate(
        (e) => getComputedStyle(e).backgroundImage.match(/gradient/g)!.length,
      );
      expect(edge).toBe(4);
    }
    const wide = formulas.nth(3);
    await wide.focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => wide.evaluate((e) => e.scrollLeft)).toBeGreaterThan(0);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    expect(await violations(page)).toEqual([]);
    await page.context().close();
  },
);

// Which formulas fit depends on the fonts of the machine.
test('a formula is a stop of the Tab key if it is wider than its box, and only then', async () => {
  const { page } = await read(b, site.url);
  await unfold(page);
  let fitting = 0;
  for (const formula of await page.locator('.formula').all()) {
    await formula.scrollIntoViewIfNeeded();
    const fits = await formula.evaluate((box) => box.scrollWidth <= box.clientWidth);
    await expect.poll(() => formula.getAttribute('tabindex')).toBe(fits ? null : '0');
    if (fits) fitting++;
  }
  expect(fitting).toBeGreaterThan(0);
  await page.context().close();
});

test('on a phone the strip shows every instance of the bag', async () => {
  const { page } = await read(b, site.url, phone);
  const strip = page.locator('aside .tiles button');
  await strip.first().scrollIntoViewIfNeeded();
  const edges = await strip.evaluateAll((all) => all.map((e) => e.getBoundingClientRect().right));
  expect(edges).toHaveLength(29);
  expect(Math.max(...edges)).toBeLessThanOrEqual(390);
  expect(
    new Set(await strip.evaluateAll((all) => all.map((e) => e.getBoundingClientRect().top))).size,
  ).toBe(2);
  await page.context().close();
});

test.each([320, 390, 768, 3840])('nothing overflows at %i pixels', async (width) => {
  const { page } = await read(b, site.url, { viewport: { width, height: 900 } });
  expect(await overflow(page)).toBeLessThanOrEqual(0);
  await page.getByRole('button', { name: 'Vectors' }).click();
  await page.getByRole('heading', { name: '24 moments' }).waitFor();
  expect(await overflow(page)).toBeLessThanOrEqual(0);
  await page.context().close();
});

test(
  'it follows the system’s colours, moves nothing for those who want none, and prints ' +
    'without its controls',
  async () => {
    const { page } = await read(b, site.url, { colorScheme: 'dark', reducedMotion: 'reduce' });
    const ground = () =>
      page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const dark = await ground();
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    expect(await ground()).not.toBe(dark);
    const moving = await page.evaluate(
      () =>
        [...document.querySelectorAll('*')].filter(
          (e) =>
            parseFloat(getComputedStyle(e).transitionDuration) > 0 ||
            parseFloat(getComputedStyle(e).animationDuration) > 0,
        ).length,
    );
    expect(moving).toBe(0);
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('aside, .board .live').filter({ visible: true }).count()).toBe(0);
    await page.context().close();
  },
);
