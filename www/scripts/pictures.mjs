// Takes the README's pictures of the built site, light and dark: node scripts/pictures.mjs.
// CHROMIUM names the browser.
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { host, openBrowser } from '../../wasm/npm/test/browser.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const out = here('../pictures/');
/** Bytes of a picture at most: a README is read by telephone, too. */
const MOST = 150_000;
const tissue = ['model.onnx', 'slide.png'].map((name) => [
  name,
  here(`../../examples/tissue/${name}`),
]);

/**
 * Each page, and what is done on it before its picture is taken. A function returns how many CSS
 * pixels the page is scrolled down, or nothing for its top.
 */
const pages = {
  async learn(page) {
    await page.goto('');
    await page.locator('[data-phase="live"]').waitFor({ state: 'attached' });
    // Both 9s of the bag.
    for (const i of [15, 21]) await page.locator('.board li button').nth(i).click();
    await page.getByRole('heading', { name: '2 removed' }).waitFor();
  },
  async look(page) {
    await page.goto('look/');
    await page.locator('main[data-sealed]').waitFor();
    await drop(page, tissue);
    await page.getByText('For all 310 instances').waitFor();
    await page.locator('main[aria-busy="false"]').waitFor();
    await page.getByText('Trust in the scores of “a gland”').waitFor();
  },
  async embed(page) {
    await page.goto('embed/');
    await page.waitForFunction(() => document.querySelector('bag-explainer').report);
    await page.locator('bag-explainer canvas').waitFor();
  },
};

const site = await host(here('../dist'));
const browser = await openBrowser();
try {
  mkdirSync(out, { recursive: true });
  for (const [name, prepare] of Object.entries(pages))
    for (const colorScheme of ['light', 'dark']) {
      const viewport = { width: 1200, height: 840 };
      const context = await browser.newContext({
        viewport,
        colorScheme,
        reducedMotion: 'reduce',
        baseURL: site.url,
      });
      const page = await context.newPage();
      const top = (await prepare(page)) ?? 0;
      await page.mouse.move(0, 0);
      await page.evaluate((y) => scrollTo(0, y), top);
      // Tissue is a photograph's kind of picture, and would be half a megabyte as a PNG.
      const kind = name === 'look' ? { type: 'jpeg', quality: 75 } : { type: 'png' };
      const file = `${out}${name}-${colorScheme}.${name === 'look' ? 'jpg' : 'png'}`;
      await page.screenshot({ path: file, animations: 'disabled', ...kind });
      const { size } = statSync(file);
      console.log(`${file}: ${Math.round(size / 1000)} kB`);
      if (size > MOST) throw new Error(`${file} is larger than ${MOST} bytes`);
      await context.close();
    }
} finally {
  await browser.close();
  site.close();
}

/** Drops files on the page, as a hand does. */
async function drop(page, files) {
  const transfer = await page.evaluateHandle(
    (list) => {
      const t = new DataTransfer();
      for (const [name, base64] of list)
        t.items.add(new File([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], name));
      return t;
    },
    files.map(([name, path]) => [name, readFileSync(path).toString('base64')]),
  );
  await page.dispatchEvent('main', 'drop', { dataTransfer: transfer });
}
