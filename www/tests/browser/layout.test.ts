// Where the sentence and the picture are on the first screen, what moves while results arrive, and
// the order of what follows the picture.
import type { BrowserContextOptions, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { explained, pick, visit } from './page';
import { b, site } from './site';

/** Sizes of a window, and the least share of it that the picture fills at once. */
const windows: [name: string, least: number, options: BrowserContextOptions][] = [
  ['1440 x 900', 0.25, { viewport: { width: 1440, height: 900 } }],
  ['1024 x 768', 0.14, { viewport: { width: 1024, height: 768 } }],
  ['390 x 844', 0.2, { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }],
];
const examples = ['', '?example=tissue'];

/** The largest sum of layout shifts, those after the user's own actions too. */
const STILL = 0.02;

/** Opens the explorer, and sums its layout shifts. */
async function watched(options: BrowserContextOptions, query: string): Promise<Page> {
  const context = await b.newContext({ serviceWorkers: 'block', ...options });
  await context.addInitScript(() => {
    const w = window as { shifted?: number };
    w.shifted = 0;
    new PerformanceObserver((list) => {
      for (const e of list.getEntries()) w.shifted! += (e as unknown as { value: number }).value;
    }).observe({ type: 'layout-shift', buffered: true });
  });
  const { page } = await visit(b, site.look + query, {}, context);
  // The strongest instance is selected, and its numbers are there.
  await page.getByText(/^Missed here/).waitFor();
  await settled(page);
  return page;
}

/** Waits until two frames are drawn, whose shifts the browser then has reported. */
const settled = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<void>((done) =>
        requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))),
      ),
  );

/** The layout shifts so far, which then begin anew. */
const shifts = (page: Page) =>
  page.evaluate(() => {
    const w = window as unknown as { shifted: number };
    const sum = w.shifted;
    w.shifted = 0;
    return sum;
  });

/** The share of the window that the picture fills, and whether all of the sentence is in it. */
const seenNow = (page: Page) =>
  page.evaluate(() => {
    const rect = (what: string) => document.querySelector(what)!.getBoundingClientRect();
    const sentence = rect('.sentence');
    const { top, bottom, width } = rect('.picture .frame');
    const height = Math.min(innerHeight, bottom) - Math.max(0, top);
    return {
      sentence: sentence.height > 0 && sentence.top >= 0 && sentence.bottom <= innerHeight,
      share: (Math.max(0, height) * width) / (innerWidth * innerHeight),
      scrolled: scrollY,
    };
  });

describe.each(windows)('at %s', (_, least, options) => {
  test.each(examples)(
    '%s: sentence and picture are seen at once, and nothing moves',
    async (query) => {
      const page = await watched(options, query);
      const check = async () => {
        const { sentence, share, scrolled } = await seenNow(page);
        expect({ sentence, scrolled }).toEqual({ sentence: true, scrolled: 0 });
        expect(share).toBeGreaterThanOrEqual(least);
        expect(await shifts(page)).toBeLessThanOrEqual(STILL);
      };
      await check();
      const reasons = page.locator('.sentence .reasons');
      const whole = await reasons.innerText();
      expect(whole).toMatch(/^\d+ of \d+ (instances|patches) carry it, and .+ enough\. Without /);
      for (const key of ['Delete', 'Control+z']) {
        await page.keyboard.press(key);
        await page
          .getByText(
            key === 'Delete' ? /^With 1 of \d+ instances removed/ : /^For all \d+ instances/,
          )
          .waitFor();
        await explained(page);
        await expect.poll(() => page.locator('.picture .stale').count()).toBe(0);
        await settled(page);
        await check();
        // What the answer rests on is that of the bag as it is now.
        const now = await reasons.innerText();
        expect(now === whole).toBe(key === 'Control+z');
        expect(now).toMatch(/^\d+ of \d+ (instances|patches) carry it/);
      }
      await page.context().close();
    },
  );
});

test('on a phone the sentence stays above the picture, and the card of the chosen one below', async () => {
  const page = await watched(windows[2]![2], '');
  await pick(page, 28);
  await page.locator('section.picture').evaluate((e) => e.scrollIntoView({ block: 'start' }));
  await page.evaluate(() => scrollBy(0, 150));
  await settled(page);
  const [sentence, card] = await Promise.all(
    ['.sentence', 'section.instance'].map((what) => page.locator(what).boundingBox()),
  );
  expect(sentence!.y).toBe(0);
  expect(card!.y + card!.height).toBeLessThanOrEqual(844);
  expect(card!.y).toBeGreaterThan(sentence!.y + sentence!.height + 200);
  // The notice of a removal covers neither.
  await page.keyboard.press('Delete');
  const notice = (await page.locator('.moved').boundingBox())!;
  const below = (await page.locator('section.instance').boundingBox())!;
  expect(notice.y).toBeGreaterThan(sentence!.y + sentence!.height);
  expect(notice.y + notice.height).toBeLessThanOrEqual(below.y);
  await page.context().close();
});

test.each(windows)(
  'at %s the card follows the picture for a screen reader',
  async (_, __, options) => {
    const page = await watched(options, '');
    const regions = await page
      .locator('main section[aria-labelledby]')
      .evaluateAll((all) => all.map((e) => e.getAttribute('aria-labelledby')));
    const at = regions.indexOf('picture-title');
    expect(regions.slice(at - 1, at + 2)).toEqual([
      'prediction-title',
      'picture-title',
      'instance-title',
    ]);
    await page.context().close();
  },
);

test('the files of a phone are chosen behind their names', async () => {
  const page = await watched(windows[2]![2], '');
  const [fold, empty] = ['digits.onnx, digits.npz', 'Start empty'].map((name) =>
    page.getByRole('button', { name }),
  );
  expect(await fold!.getAttribute('aria-expanded')).toBe('false');
  expect(await empty!.isVisible()).toBe(false);
  await fold!.click();
  expect(await fold!.getAttribute('aria-expanded')).toBe('true');
  await empty!.click();
  await page.getByText('Drop files anywhere').waitFor({ state: 'attached' });
  expect(await fold!.count()).toBe(0);
  expect(await page.getByLabel('Choose model').count()).toBe(1);
  await page.context().close();
});
