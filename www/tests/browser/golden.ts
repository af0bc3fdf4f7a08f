// Pictures of pages held against stored ones. Pages are shown with a font of boxes, so that a
// machine's fonts do not matter, and pictures are compared much smaller than they are, so that the
// edges of another browser's letters and lines do not, either: what does is that something is
// missing, elsewhere or of another colour.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import pixelmatch from 'pixelmatch';
import { PNG } from 'pngjs';
import { data } from './page';

/** Difference of colours that is seen, of 1 for black and white. */
const SEEN = 0.06;
/** Share of pixels, after the picture was made smaller, that may differ by that much. */
export const TOLERANCE = 0.002;

const update = process.env.GOLDEN === 'update';
const path = (name: string) => fileURLToPath(new URL(`../golden/${name}.png`, import.meta.url));

const font =
  '@font-face { font-family: Boxes; src: ' +
  `url(data:font/ttf;base64,${readFileSync(data('boxes.ttf')).toString('base64')}); }`;

/**
 * Shows a page with the font of boxes. Its context has to bypass the page's policy, which allows no
 * font.
 */
export async function boxed(page: Page): Promise<void> {
  await page.addStyleTag({
    content: `${font}
      :root { --sans: Boxes; --serif: Boxes; --mono: Boxes; --bag-font: 15px/1.45 Boxes; }
      *, *::before, *::after { font-family: Boxes !important; font-synthesis: none !important; text-rendering: geometricPrecision !important; caret-color: transparent !important; }`,
  });
  await page.evaluate(async () => {
    await document.fonts.load('16px Boxes');
    await document.fonts.ready;
  });
}

/** Draws texts on canvases as boxes of their places, before a page is opened. */
export async function boxedCanvas(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const proto = CanvasRenderingContext2D.prototype;
    proto.fillText = function (text, x, y, width = 0) {
      const each = width / text.length;
      const high = each * 1.2;
      for (const [i, letter] of [...text].entries())
        if (letter !== ' ') this.fillRect(x + (i + 0.1) * each, y - high / 2, 0.8 * each, high);
    };
  });
}

/** What is on the screen, each of its pixels the mean of `by` × `by`. */
async function small(page: Page, by: number): Promise<PNG> {
  const large = PNG.sync.read(await page.screenshot({ animations: 'disabled' }));
  const out = new PNG({
    width: Math.floor(large.width / by),
    height: Math.floor(large.height / by),
  });
  for (let y = 0; y < out.height; y++)
    for (let x = 0; x < out.width; x++)
      for (let c = 0; c < 4; c++) {
        let sum = 0;
        for (let dy = 0; dy < by; dy++)
          for (let dx = 0; dx < by; dx++)
            sum += large.data[4 * ((y * by + dy) * large.width + x * by + dx) + c]!;
        out.data[4 * (y * out.width + x) + c] = Math.round(sum / (by * by));
      }
  return out;
}

/** The same once nothing moves any more. */
async function still(page: Page, by: number): Promise<PNG> {
  for (let before = await small(page, by); ;) {
    await new Promise((done) => setTimeout(done, 500));
    const now = await small(page, by);
    if (now.data.equals(before.data)) return now;
    before = now;
  }
}

/**
 * The share of a stored picture's pixels that differ from what is on the screen; 1 where it has
 * another size.
 */
export async function difference(page: Page, name: string, by: number): Promise<number> {
  const now = await small(page, by);
  const stored = PNG.sync.read(readFileSync(path(name)));
  if (stored.width !== now.width || stored.height !== now.height) return 1;
  const options = { threshold: SEEN, includeAA: true };
  return (
    pixelmatch(stored.data, now.data, undefined, now.width, now.height, options) /
    (now.width * now.height)
  );
}

/**
 * The same, where a page may take a moment to be as it was. Leaves NAME-changed.png beside the
 * stored picture if they differ. With GOLDEN=update the picture is stored instead.
 */
export async function changed(page: Page, name: string, by: number): Promise<number> {
  const beside = path(`${name}-changed`);
  if (update) writeFileSync(path(name), PNG.sync.write(await still(page, by)));
  if (!existsSync(path(name)))
    throw new Error(`there is no ${path(name)}: GOLDEN=update writes it`);
  const share = await difference(page, name, by);
  if (share > TOLERANCE) writeFileSync(beside, PNG.sync.write(await small(page, by)));
  else rmSync(beside, { force: true });
  return share;
}
