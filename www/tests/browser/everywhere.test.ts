// What users do on each page, in Chromium, Firefox and WebKit, and the pictures that the three
// draw.
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BagExplainer } from 'bagscope/element';
import { PNG } from 'pngjs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Driver } from './drivers/driver';
import {
  blocks,
  browsers,
  cellBlocks,
  difference,
  explained,
  patience,
  pixels,
  press,
  scores,
  shows,
  until,
  type Blocks,
} from './everywhere';
import { host, type Host } from './host';
import { data, dist } from './page';
import { oneFilePage, readmeLines, root, strictPage } from './pages';

for (const { name, found } of browsers)
  if (!found)
    console.log(`SKIPPED: the tests in ${name}, because none was found or could be installed`);

/** Digits of the article, and its themes. The second digit supports the class. */
const tiles = ['.board li .icon', '.board li:nth-child(16) .icon', '.text .tile'];
const themes = ['light', 'dark'] as const;

/**
 * How far the blocks of equal pictures differ, of 255: browsers draw edges and scale pictures
 * differently, and their fonts move tiles by parts of a pixel, which makes up to 20 in small tiles. A
 * digit as a black box, or a tile of a slide that is missing, makes more than 100.
 */
const TOLERANCE = 32;

/** Results that all browsers must have in common: for each of them, by the browser's name. */
const results: Record<string, Map<string, unknown>> = {};
/** Pictures, likewise. */
const pictures: Record<string, Map<string, Blocks>> = {};
const slides = (name: string) => join(root, 'core/slide/testdata', name);
const keep = <T>(all: Record<string, Map<string, T>>, name: string, by: string, value: T) =>
  (all[name] ??= new Map<string, T>()).set(by, value);

describe.each(browsers.map((b) => [b.name, b] as const))('in %s', (name, { found, start }) => {
  let site: Host;
  let d: Driver;

  beforeAll(async () => {
    if (!found) return;
    site = await host(dist);
    d = await start();
  });
  afterAll(async () => {
    await d?.close();
    await site?.close();
  });

  const look = async (hash = '') => {
    await d.go(site.look + hash);
    await explained(d);
  };
  const theme = (value: (typeof themes)[number]) =>
    d.run((value: string) => void (document.documentElement.dataset.theme = value), value);
  const open = async (...paths: string[]) => {
    for (const [label, path] of [
      ['Choose model', paths[0]!],
      ['Choose bag', paths[1]!],
    ])
      await d.choose(`input[aria-label="${label}"]`, [path!]);
  };

  describe.skipIf(!found)('Look', () => {
    test('the example is explained and drawn', async () => {
      await look();
      await theme('light');
      await shows(d, '#main', 'an 8 and a 9');
      keep(results, 'scores', name, await scores(d));
      keep(pictures, 'cells', name, await cellBlocks(d));
    });

    test('an instance is selected by a press and removed by a key', async () => {
      const spot = await d.run(() => {
        const canvas = document.querySelector<HTMLCanvasElement>('canvas[data-cells]')!;
        canvas.scrollIntoView({ block: 'center', behavior: 'instant' });
        const [cell] = JSON.parse(canvas.dataset.cells!) as number[][];
        const r = canvas.getBoundingClientRect();
        const zoom = r.width / canvas.width;
        return [
          r.left + (cell![2]! + cell![4]! / 2) * zoom,
          r.top + (cell![3]! + cell![5]! / 2) * zoom,
        ];
      });
      await d.press(spot[0]!, spot[1]!);
      await shows(d, '#instance-title', 'Digit 1');
      await d.keys('Delete');
      await shows(d, '#main', 'With 1 of 29 digits removed');
    });

    test('PNG, JSON and CSV are saved', async () => {
      await look();
      await press(d, 'summary', 'Save');
      const saved = async (button: string, file: string) => {
        await press(d, 'button', button);
        await expect.poll(() => d.saved(file), patience).not.toBeNull();
        return d.saved(file)!;
      };
      const stem = 'digits-bag_0_two_8s_and_two_9s-consensus';
      const png = PNG.sync.read(await saved('Save PNG', `${stem}.png`));
      expect(png.width).toBeGreaterThan(300);
      const json = JSON.parse(String(await saved('Save JSON', `${stem}.json`))) as object;
      expect(json).toHaveProperty('explanations');
      const csv = String(await saved('Save CSV', `${stem}.csv`));
      const field = (text: string) => (Number.isNaN(Number(text)) ? text : Number(text));
      const rows = csv.split('\n').map((row) => row.split(',').map(field));
      keep(results, 'csv', name, rows);
    });

    test('a model and a bag from the disk are explained', async () => {
      await open(data('attention4.onnx'), data('two_bags.csv'));
      await shows(d, '.nav', '1 of 2');
      await explained(d);
      await shows(d, '#main', 'calm 98.1 %');
      keep(pictures, 'bars', name, await cellBlocks(d));
      await press(d, 'button', 'Next bag');
      await shows(d, '.nav', '2 of 2');
      await shows(d, '#main', 'alarm 95.1 %');
    });

    test('a damaged file is refused in words', async () => {
      await d.choose('input[aria-label="Choose model"]', [data('two_bags.csv')]);
      await d.choose('input[aria-label="Choose model"]', [join(root, 'testdata/skips.txt')]);
      await shows(d, '[role=alert]', 'skips.txt');
    });

    test('a slide is drawn', async () => {
      await look();
      await theme('light');
      await d.choose('input[aria-label="Choose bag"]', [slides('jpeg_420.tif')]);
      await shows(d, '[data-slide="open"]');
      await shows(d, '#main', '150 × 110 pixels');
      // The middle 18 × 18 pixels, which are tissue: the rest is paler. 110 rows fill the viewer.
      const known = PNG.sync.read(readFileSync(slides('jpeg_420_0.png')));
      const middle = new PNG({ width: 18, height: 18 });
      PNG.bitblt(known, middle, 66, 46, 18, 18, 0, 0);
      const height = await d.run(
        () => document.querySelector('[data-slide="open"]')!.getBoundingClientRect().height,
      );
      const part = (height * 18) / 110;
      const drawn = async () => blocks(await pixels(d, '[data-slide="open"] canvas', part), 3, 0);
      // Tiles appear one after another.
      const wrong = async () => difference(await drawn(), blocks(middle, 3, 0));
      await expect.poll(wrong, patience).toBeLessThan(TOLERANCE);
    });
  });

  describe.skipIf(!found)('Learn', () => {
    /** The ground of a tile, which is its median, and its darkest and lightest pixel, 0 to 255. */
    const tones = async (selector: string) => {
      const { data } = await pixels(d, selector);
      const tone = Array.from({ length: data.length / 4 }, (_, i) => i * 4)
        .map((i) => (data[i]! + data[i + 1]! + data[i + 2]!) / 3)
        .sort((a, b) => a - b);
      return { ground: tone[tone.length >> 1]!, least: tone[0]!, most: tone.at(-1)! };
    };

    test('the article becomes interactive', async () => {
      await d.go(site.url);
      await shows(d, '[data-phase="live"]');
    });

    test.each(tiles)('digits are drawn in both themes: %s', async (selector) => {
      await theme('light');
      const light = async () => {
        const { ground, least } = await tones(selector);
        return { lightGround: ground > 150, darkDigit: least < ground - 80 };
      };
      await expect.poll(light, patience).toEqual({ lightGround: true, darkDigit: true });
      keep(pictures, `light ${selector}`, name, blocks(await pixels(d, selector), 3));
      await theme('dark');
      const dark = async () => {
        const { ground, most } = await tones(selector);
        return { darkGround: ground < 120, lightDigit: most > ground + 80 };
      };
      await expect.poll(dark, patience).toEqual({ darkGround: true, lightDigit: true });
      keep(pictures, `dark ${selector}`, name, blocks(await pixels(d, selector), 3));
    });

    test('a digit that supports the class has its colour, another one has none', async () => {
      const colour = async (selector: string) => {
        const means = blocks(await pixels(d, selector), 1);
        return means[2]! - means[0]!; // blue and not red
      };
      for (const value of themes) {
        await theme(value);
        await expect.poll(() => colour(tiles[1]!), patience).toBeGreaterThan(20);
        await expect.poll(async () => Math.abs(await colour(tiles[0]!)), patience).toBeLessThan(4);
      }
    });

    test('the mark of a class that is not chosen is an empty ring in both themes', async () => {
      const ring = async () => (await tones('input[type=radio]:not(:checked)')).ground;
      await theme('light');
      await expect.poll(ring, patience).toBeGreaterThan(200);
      await theme('dark');
      await expect.poll(ring, patience).toBeLessThan(60);
    });

    test('a digit is taken out by a press', async () => {
      await press(d, '.board li:nth-child(16) button');
      await shows(d, 'h2, h3', '1 removed');
    });
  });

  // A frame can be as narrow as a phone, a window of WebKit cannot.
  test.skipIf(!found)('no page is wider than a phone', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'bagscope-phone-'));
    symlinkSync(dist, join(folder, 'site'));
    const frame = '<iframe width="390" height="800" style="border: 0"></iframe>';
    writeFileSync(join(folder, 'index.html'), `<!doctype html><title>t</title>${frame}`);
    const other = await host(folder);
    await d.go(other.url);
    for (const page of ['', 'look/', 'embed/', 'python/', 'docs/'])
      for (const width of [390, 320]) {
        await d.run(
          (src: string, width: number) =>
            new Promise<void>((done) => {
              const frame = document.querySelector('iframe')!;
              frame.width = String(width);
              frame.onload = () => done();
              frame.src = src;
            }),
          `site/${page}?width=${width}`,
          width,
        );
        const over = () =>
          d.run(() => {
            const { documentElement: html, defaultView: frame } =
              document.querySelector('iframe')!.contentDocument!;
            return [frame!.innerWidth, html.scrollWidth - frame!.innerWidth];
          });
        await expect
          .poll(over, patience)
          .toEqual([width, expect.toSatisfy((far: number) => far <= 0)]);
      }
    await other.close();
    rmSync(folder, { recursive: true });
  });

  test.skipIf(!found)('all pages work again without a server', async () => {
    const other = await host(dist, '/some/path/');
    await d.go(other.url);
    await shows(d, '[data-phase="live"]');
    await d.run(() => navigator.serviceWorker.ready.then(() => undefined));
    await other.close();
    await d.go(other.look);
    await explained(d);
    await open(data('attention4.onnx'), data('two_bags.csv'));
    await shows(d, '#main', 'calm 98.1 %');
    await d.go(`${other.url}embed/`);
    await until(d, () => document.querySelector<BagExplainer>('bag-explainer')?.report);
    await d.go(`${other.url}python/`);
    await shows(d, 'h1', 'Explain models of bags in Python');
    await d.go(other.url);
    await shows(d, '[data-phase="live"]');
  });

  describe.skipIf(!found)('the element', () => {
    const report = () =>
      until(d, () => document.querySelector<BagExplainer>('bag-explainer')?.report);
    const drawn = () =>
      d.run(() => {
        const e = document.querySelector<BagExplainer>('bag-explainer')!;
        const canvas = e.shadowRoot!.querySelector('canvas')!;
        return {
          scores: e.report!.explanations.map((x) => [...x.scores]),
          sides: [canvas.width, canvas.height],
        };
      });

    test('explains under a strict policy', async () => {
      const picture = readFileSync(join(root, 'examples/digits/explanation.png'));
      const lines = readmeLines(readFileSync(join(root, 'README.md'), 'utf8'));
      const folder = strictPage(lines, picture);
      const other = await host(folder);
      await d.go(other.url);
      await report();
      await until(d, () =>
        document.querySelector('bag-explainer')!.shadowRoot!.querySelector('canvas'),
      );
      keep(results, 'element', name, (await drawn()).scores);
      await other.close();
      rmSync(folder, { recursive: true });
    });

    test('explains in a page in one file, from the disk', async () => {
      const { folder, url } = oneFilePage();
      await d.go(url);
      await report();
      await until(d, () =>
        document.querySelector('bag-explainer')!.shadowRoot!.querySelector('canvas'),
      );
      keep(results, 'one file', name, (await drawn()).scores);
      rmSync(folder, { recursive: true });
    });
  });
});

/**
 * A result with its numbers replaced by the expected ones where the two differ by rounding alone.
 * Products are fused in browsers with relaxed SIMD, and their sum is rounded once.
 */
function rounded(result: unknown, expected: unknown): unknown {
  if (Array.isArray(result) && Array.isArray(expected))
    return result.map((inner, i) => rounded(inner, expected[i]));
  if (typeof result !== 'number' || typeof expected !== 'number') return result;
  return Math.abs(result - expected) <= 1e-4 * (1 + Math.abs(expected)) ? expected : result;
}

describe('all browsers agree', () => {
  const names = browsers.filter((b) => b.found).map((b) => b.name);

  test.each(['scores', 'csv', 'element', 'one file'])('%s', (result) => {
    expect([...results[result]!.keys()]).toEqual(names);
    const [first, ...others] = results[result]!.values();
    for (const other of others) expect(rounded(other, first)).toEqual(first);
  });

  test('pictures', () => {
    expect(Object.keys(pictures).sort()).toEqual(
      [...themes.flatMap((t) => tiles.map((tile) => `${t} ${tile}`)), 'bars', 'cells'].sort(),
    );
    const far: Record<string, number> = {};
    for (const [picture, all] of Object.entries(pictures)) {
      expect([...all.keys()], picture).toEqual(names);
      const [first, ...others] = all.values();
      for (const [i, other] of others.entries()) {
        const most = difference(other, first!);
        if (most >= TOLERANCE) far[`${picture} in ${names[i + 1]}`] = most;
      }
    }
    expect(far).toEqual({});
  });
});
