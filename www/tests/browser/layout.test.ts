// Where the sentence and the picture are on the first screen, what moves while results arrive, and
// the order of what follows the picture.
import type { BrowserContextOptions, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { drop, explained, openMenu, pick, visit } from './page';
import { b, site } from './site';

/** Sizes of a window, and the least share of it that the picture fills at once. */
const windows: [name: string, least: number, options: BrowserContextOptions][] = [
  ['1440 x 900', 0.55, { viewport: { width: 1440, height: 900 } }],
  ['1024 x 768', 0.48, { viewport: { width: 1024, height: 768 } }],
  ['390 x 844', 0.35, { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }],
  // 1440 x 900, enlarged to 200 %.
  ['720 x 450', 0.25, { viewport: { width: 720, height: 450 }, deviceScaleFactor: 2 }],
];
const examples = ['', '?example=tissue'];

/** The most words and controls of the first screen, and controls of a page without files. */
const WORDS = 90;
const CONTROLS = 22;
const EMPTY = 8;

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
    const { top, bottom, width } = rect(
      // The tools over a map are no part of it.
      document.querySelector('.pane .frame') ? '.pane .frame' : '.picture .drawn',
    );
    const height = Math.min(innerHeight, bottom) - Math.max(0, top);
    return {
      sentence: sentence.height > 0 && sentence.top >= 0 && sentence.bottom <= innerHeight,
      share: (Math.max(0, height) * width) / (innerWidth * innerHeight),
      scrolled: document.documentElement.scrollHeight > innerHeight || scrollY > 0,
    };
  });

describe.each(windows)('at %s', (_, least, options) => {
  test.each(examples)(
    '%s: sentence and picture are seen at once, and nothing moves',
    async (query) => {
      const page = await watched(options, query);
      const check = async () => {
        const { sentence, share, scrolled } = await seenNow(page);
        expect({ sentence, scrolled }).toEqual({ sentence: true, scrolled: false });
        expect(share).toBeGreaterThanOrEqual(least);
        expect(await shifts(page)).toBeLessThanOrEqual(STILL);
      };
      await check();
      const reasons = page.locator('.sentence .reasons');
      const whole = await reasons.innerText();
      expect(whole).toMatch(/^\d+ of \d+ (digits|patches) carry it, and .+ enough\. Without /);
      for (const key of ['Delete', 'Control+z']) {
        await page.keyboard.press(key);
        await page
          .getByText(
            key === 'Delete'
              ? /^With 1 of \d+ (digits|patches) removed/
              : /^For all \d+ (digits|patches)/,
          )
          .waitFor();
        await explained(page);
        await expect.poll(() => page.locator('.picture .stale').count()).toBe(0);
        await settled(page);
        await check();
        // What the answer rests on is that of the bag as it is now.
        const now = await reasons.innerText();
        expect(now === whole).toBe(key === 'Control+z');
        expect(now).toMatch(/^\d+ of \d+ (digits|patches) carry it/);
      }
      await page.context().close();
    },
  );
});

test.each(windows)('at %s a message lies over the picture, which stays', async (_, __, options) => {
  const page = await watched(options, '?example=tissue');
  const box = () => page.locator('.picture').boundingBox();
  const before = await box();
  await shifts(page);
  await drop(page, [{ name: 'bad.csv', bytes: Buffer.from('bag,f1\na,1\na,oops\n') }]);
  await page.getByRole('alert').getByText('bad.csv').first().waitFor();
  await explained(page);
  await settled(page);
  const message = (await page.locator('.messages').boundingBox())!;
  expect(message.y).toBeGreaterThan(before!.y);
  expect(message.y + message.height).toBeLessThan(before!.y + before!.height);
  expect(await box()).toEqual(before);
  expect(await shifts(page)).toBeLessThanOrEqual(STILL);
  await page.getByRole('button', { name: 'Close this message' }).click();
  await settled(page);
  expect(await box()).toEqual(before);
  expect(await shifts(page)).toBeLessThanOrEqual(STILL);
  await page.context().close();
});

/** The words and controls of a page that are seen at once. A number is not a word. */
const counted = (page: Page) =>
  page.evaluate(() => {
    /** What of an element is neither cut off by what scrolls nor behind something else. */
    const seen = (e: Element) => {
      const r = e.getBoundingClientRect();
      const [x, y] = [r.x + r.width / 2, r.y + Math.min(r.height / 2, 12)];
      if (r.width < 2 || r.height < 2 || !e.checkVisibility({ visibilityProperty: true }))
        return false;
      if (x < 0 || y < 0 || x > innerWidth || y > innerHeight) return false;
      const on = document.elementsFromPoint(x, y);
      return on.includes(e) || getComputedStyle(e).pointerEvents === 'none';
    };
    const texts: string[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode())
      if (!node.parentElement!.closest('script, style, option') && seen(node.parentElement!))
        texts.push(node.textContent!);
    for (const select of document.querySelectorAll('select'))
      if (seen(select)) texts.push(select.selectedOptions[0]?.text ?? '');
    const controls = 'a[href], button, summary, select, input:not([type=file]), label:has(input)';
    return {
      words: texts
        .join(' ')
        .split(/\s+/)
        .filter((word) => /\p{L}/u.test(word)),
      controls: [...document.querySelectorAll(controls)].filter(seen).length,
    };
  });

test.each(examples)('%s: the first screen has few words and controls', async (query) => {
  const page = await watched(windows[0]![2], query);
  const first = await counted(page);
  expect(first.words.length).toBeGreaterThan(30);
  expect(first.words.length, first.words.join(' ')).toBeLessThanOrEqual(WORDS);
  expect(first.controls).toBeGreaterThan(10);
  expect(first.controls).toBeLessThanOrEqual(CONTROLS);
  await page.context().close();
});

test('a page without files has fewer', async () => {
  const page = await watched(windows[0]![2], '');
  await openMenu(page, 'Examples');
  await page.getByRole('button', { name: 'Start empty' }).click();
  await page.getByRole('link', { name: 'Tissue' }).waitFor();
  const empty = await counted(page);
  expect(empty.controls).toBeGreaterThan(3);
  expect(empty.controls).toBeLessThanOrEqual(EMPTY);
  await page.context().close();
});

test('a tab shows its part of the panel, and the keyboard goes on there', async () => {
  const page = await watched(windows[0]![2], '');
  const tab = (name: string) => page.locator('.tabs').getByRole('button', { name });
  for (const [name, what] of [
    ['Data', 'The model'],
    ['Trust', 'Method'],
    ['What if?', 'What if?'],
    ['Evidence', 'Digit 22'],
  ] as const) {
    await tab(name).focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => tab(name).getAttribute('aria-current')).toBe('true');
    expect(await page.locator('.tabs [aria-current]').count()).toBe(1);
    const scroller = (await page.locator('.panel > .scroll').boundingBox())!;
    const part = (await page.getByRole('group', { name, exact: true }).boundingBox())!;
    expect(Math.abs(part.y - scroller.y)).toBeLessThanOrEqual(2);
    expect(part.height).toBeGreaterThanOrEqual(scroller.height - 1);
    await page.keyboard.press('Tab');
    expect(
      await page.evaluate(
        (name) =>
          document.activeElement!.closest('[role=group][id]')!.getAttribute('aria-label') === name,
        name,
      ),
      what,
    ).toBe(true);
  }
  await page.context().close();
});

test('on a phone the sentence takes a tenth of the window, opens, and stays above the sheet', async () => {
  const page = await watched(windows[2]![2], '');
  const box = async (what: string) => (await page.locator(what).boundingBox())!;
  const short = await box('.sentence');
  expect(short.height).toBeLessThanOrEqual(85);
  await page.getByRole('button', { name: 'More', exact: true }).tap();
  expect((await box('.sentence')).height).toBeGreaterThan(short.height);
  await page.getByRole('button', { name: 'Less', exact: true }).tap();
  await page.locator('.tabs').getByRole('button', { name: 'Trust' }).tap();
  const sheet = await box('.panel');
  expect(sheet.y).toBeGreaterThanOrEqual(short.y + short.height - 1);
  expect(sheet.height).toBeGreaterThan(500);
  await page.getByRole('button', { name: 'Show more of the picture' }).tap();
  await page.locator('.tabs').getByRole('button', { name: 'Evidence' }).tap();
  await page.getByRole('button', { name: 'Show more of the picture' }).tap();
  // The notice of a removal covers neither the sentence nor the card.
  await pick(page, 28);
  await page.keyboard.press('Delete');
  const notice = await box('.moved');
  expect(notice.y).toBeGreaterThan(short.y + short.height);
  expect(notice.y + notice.height).toBeLessThanOrEqual((await box('.panel')).y);
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
  const fold = page.getByRole('button', { name: 'digits.onnx, digits.npz' });
  expect(await fold.getAttribute('aria-expanded')).toBe('false');
  expect(await page.getByText('Examples').isVisible()).toBe(false);
  await fold.click();
  expect(await fold.getAttribute('aria-expanded')).toBe('true');
  await openMenu(page, 'Examples');
  await page.getByRole('button', { name: 'Start empty' }).click();
  await page.getByText('drop the files anywhere').waitFor();
  expect(await fold.count()).toBe(0);
  expect(await page.getByLabel('Choose model').count()).toBe(1);
  await page.context().close();
});
