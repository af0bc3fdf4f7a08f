// The article in WebKit, whose SVG filters differ from Chromium's. WEBKIT is the command that
// tools/dev/webkit prints.
import { PNG } from 'pngjs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { host, type Host } from './host';
import { dist } from './page';
import { webkit, type WebKit } from './webkit';

const command = process.env.WEBKIT ?? '';
if (!command) console.log('SKIPPED: the tests in WebKit, because tools/dev/webkit found none here');

describe.skipIf(!command)('in WebKit', () => {
  let site: Host;
  let browser: WebKit;

  beforeAll(async () => {
    site = await host(dist);
    browser = await webkit(command, 1000, 900);
    await browser.go(site.url);
  });
  afterAll(async () => {
    await browser?.close();
    await site?.close();
  });

  /**
   * Brightness of a tile's pixels, 0 to 255: their median, which is the ground, the least and the
   * greatest; and how much greener than red they are on average.
   */
  async function tile(
    selector: string,
  ): Promise<{ ground: number; least: number; most: number; green: number }> {
    const box = await browser.run<{ x: number; y: number; side: number }>(
      `const e = document.querySelector(${JSON.stringify(selector)});
       e.scrollIntoView({ block: 'center' });
       const r = e.getBoundingClientRect();
       return { x: r.left, y: r.top, side: r.width };`,
    );
    await new Promise((done) => setTimeout(done, 300)); // a frame with the new place
    const { data, width } = PNG.sync.read(await browser.screenshot());
    const seen: number[] = [];
    let green = 0;
    // The corners of a tile are round.
    for (let y = Math.ceil(box.y + 4); y < box.y + box.side - 4; y++)
      for (let x = Math.ceil(box.x + 4); x < box.x + box.side - 4; x++) {
        const at = 4 * (y * width + x);
        green += data[at + 1]! - data[at]!;
        seen.push((data[at]! + data[at + 1]! + data[at + 2]!) / 3);
      }
    seen.sort((a, b) => a - b);
    return {
      ground: seen[seen.length >> 1]!,
      least: seen[0]!,
      most: seen.at(-1)!,
      green: green / seen.length,
    };
  }

  const places = ['.board li .icon', '.board li:nth-child(16) .icon', '.text .tile'];

  test.each(places)('digits are dark on light in the light theme: %s', async (selector) => {
    await browser.run(`document.documentElement.dataset.theme = 'light'`);
    const looks = async () => {
      const { ground, least } = await tile(selector);
      return { lightGround: ground > 150, darkDigit: least < ground - 80 };
    };
    await expect.poll(looks).toEqual({ lightGround: true, darkDigit: true });
  });

  test.each(['light', 'dark'])(
    'a digit that supports the class is tinted green: %s',
    async (theme) => {
      await browser.run(`document.documentElement.dataset.theme = '${theme}'`);
      await expect.poll(async () => (await tile(places[1]!)).green).toBeGreaterThan(20);
      await expect.poll(async () => Math.abs((await tile(places[0]!)).green)).toBeLessThan(4);
    },
  );

  test.each(places)('and light on dark in the dark theme: %s', async (selector) => {
    await browser.run(`document.documentElement.dataset.theme = 'dark'`);
    const looks = async () => {
      const { ground, most } = await tile(selector);
      return { darkGround: ground < 120, lightDigit: most > ground + 80 };
    };
    await expect.poll(looks).toEqual({ darkGround: true, lightDigit: true });
  });
});
