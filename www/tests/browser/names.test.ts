// An old answer never stands under a new name: with a slow engine, the whole page is read whenever
// it changes.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { page, turnTo } from './explorer';
import { b, site } from './site';
import { data, drop, explained, grey, openMenu, prediction, visit } from './page';

const read = (name: string) => ({
  name: name.replace(/^.*\//, ''),
  bytes: readFileSync(data(name)),
});
const alerted = () => page.getByRole('alert').innerText();

/** What the page shows at a moment. */
interface Moment {
  model: string;
  bag: string;
  text: string;
  /** Pixels with a colour on the canvases of the bag, which only an explanation has. */
  coloured: number;
  ready: boolean;
}

/** Delays what the page asks of its workers by so long, from now on. */
const slow = (ms: number) => page.evaluate((ms) => void Object.assign(window, { delay: ms }), ms);

/** Opens the explorer with an engine and a reader whose every answer can be delayed. */
async function openSlow(): Promise<void> {
  const seen = await visit(b, site.look);
  await page.context().close();
  turnTo(seen.page);
}

/** Reads the page each time that it changes, until the returned function is called. */
async function watch(): Promise<() => Promise<Moment[]>> {
  await page.evaluate(() => {
    const moments: unknown[] = [];
    const zone = (label: string) =>
      document.querySelector<HTMLElement>(`.zone:has([aria-label="Choose ${label}"]) .name`)!
        .innerText;
    const coloured = (canvas: HTMLCanvasElement) => {
      if (canvas.width === 0 || canvas.classList.contains('empty')) return 0;
      const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
      let n = 0;
      for (let i = 0; i < data.length; i += 4) if (Math.abs(data[i]! - data[i + 1]!) > 24) n++;
      return n;
    };
    const look = () => {
      const main = document.querySelector('main')!;
      moments.push({
        model: zone('model'),
        bag: zone('bag'),
        text: document.querySelector<HTMLElement>('.page')!.innerText,
        coloured: [...main.querySelectorAll<HTMLCanvasElement>('.picture canvas')]
          .map(coloured)
          .reduce((a, n) => a + n, 0),
        ready: main.getAttribute('aria-busy') === 'false',
      });
    };
    const observer = new MutationObserver(look);
    observer.observe(document.querySelector('.page')!, {
      subtree: true,
      childList: true,
      characterData: true,
      attributes: true,
    });
    Object.assign(window, { moments, observer });
  });
  return () =>
    page.evaluate(() => {
      const w = window as unknown as { moments: Moment[]; observer: MutationObserver };
      w.observer.disconnect();
      return w.moments;
    });
}

/** Numbers and words of the example's answer, none of which any other file of these tests has. */
const OLD = [
  /an 8 and a 9/,
  /neither 8 nor 9/,
  /29 digits/,
  /two 8s and two 9s/,
  /\d+ more rows/,
  /AOPC-R\b.*\n.*\d/,
];
const stale = (m: Moment) => OLD.filter((old) => old.test(m.text)).map(String);

/** Demands that nothing of the example is seen under another name. */
function honest(moments: readonly Moment[], model: string, bag: string): void {
  const renamed = moments.filter((m) => m.model !== 'digits.onnx' || m.bag !== 'digits.npz');
  expect(renamed.length, 'moments under the new names').toBeGreaterThan(2);
  expect(renamed.some((m) => m.model === model && m.bag === bag)).toBe(true);
  const wrong = renamed.filter((m) => stale(m).length > 0);
  expect(wrong.map((m) => [m.model, m.bag, ...stale(m)])).toEqual([]);
  // While nothing is predicted there is no colour either.
  const early = renamed.filter((m) => /Opening |Computing the prediction/.test(m.text));
  expect(early.length).toBeGreaterThan(0);
  expect(early.filter((m) => m.coloured > 0).map((m) => m.coloured)).toEqual([]);
}

async function explainAndMeasure(): Promise<void> {
  await page.getByRole('button', { name: 'Measure faithfulness' }).click();
  await page.locator('figure svg[role="img"]').waitFor();
  await page.getByRole('button', { name: 'Explain all 6 bags' }).click();
  await page.getByRole('button', { name: 'Explain all 6 bags' }).waitFor();
}

test('a model and a bag: nothing of the old is seen under their names, at no moment', async () => {
  await openSlow();
  await explainAndMeasure();
  await slow(250);
  const moments = await watch();
  await drop(page, [read('attention4.onnx'), read('two_bags.csv')]);
  await page.getByText('1 of 2', { exact: true }).waitFor();
  await explained(page);
  const all = await moments();
  honest(all, 'attention4.onnx', 'two_bags.csv');
  expect(all.at(-1)!.text).toMatch(/calm\s+98\.1 %/);
});

test('a picture with its model: the old map, table and numbers go at once', async () => {
  await openSlow();
  await slow(250);
  const moments = await watch();
  const picture = { name: 'slope.png', bytes: grey(564, 564, (x, y) => (x * 3 + y * 5) % 256) };
  await drop(page, [read('pixels.onnx'), picture]);
  await page.getByText('4 patches of 3 × 64 × 64').waitFor();
  await explained(page);
  honest(await moments(), 'pixels.onnx', 'slope.png');
});

test(
  'a file that cannot be opened: meanwhile nothing is seen under its name, then the old ' +
    'under the old',
  async () => {
    await openSlow();
    const before = await prediction(page).innerText();
    await slow(250);
    const moments = await watch();
    await drop(page, [{ name: 'broken.onnx', bytes: Buffer.from('no model') }]);
    await expect.poll(alerted).toContain('digits.onnx is still open');
    await explained(page);
    const all = await moments();
    const renamed = all.filter((m) => m.model === 'broken.onnx');
    expect(renamed.length).toBeGreaterThan(0);
    // The bag stays, and with it its name.
    expect(renamed.flatMap(stale).filter((old) => !old.includes('two 8s'))).toEqual([]);
    expect(renamed.filter((m) => m.coloured > 0)).toEqual([]);
    expect(all.at(-1)!.model).toBe('digits.onnx');
    expect(await prediction(page).innerText()).toBe(before);
  },
);

test(
  'another bag of the set: the prediction and the picture of the one before are gone ' +
    'when its name is there',
  async () => {
    await openSlow();
    await slow(250);
    const moments = await watch();
    await page.getByLabel('Bag', { exact: true }).selectOption('3');
    await page.getByText('4 of 6').waitFor();
    await explained(page);
    const all = await moments();
    // The fourth bag has 31 instances, and its classes have the same names.
    const renamed = all.filter(
      (m) => m.text.includes('4 of 6') && !m.text.includes('For all 31 digits'),
    );
    expect(renamed.length).toBeGreaterThan(0);
    expect(renamed.flatMap((m) => m.text.match(/29 digits|> 99\.9 %/g) ?? [])).toEqual([]);
    expect(renamed.filter((m) => m.coloured > 0)).toEqual([]);
  },
);

test('a model and an unreadable picture together: the alert names the picture and its reason', async () => {
  await drop(page, [
    read('pixels.onnx'),
    { name: 'slide.jp2.tif', bytes: Buffer.from('II*\0no TIFF') },
  ]);
  await page.getByText('pixels.onnx', { exact: true }).waitFor();
  await expect.poll(alerted).toMatch(/slide\.jp2\.tif.*TIFF/s);
  await page.locator('main[aria-busy="false"]').waitFor();
  expect(await alerted()).not.toMatch(/two 8s|still open|28/);
  expect(await page.locator('main').innerText()).not.toMatch(/an 8 and a 9|29 digits/);
});

test(
  'a model alone asks for its bag, a picture alone for its model, and neither is ' +
    'computed with the example',
  async () => {
    await drop(page, [read('attention4.onnx')]);
    await page.getByText('The model is open. Open a bag for it: drop the file').first().waitFor();
    await page.locator('main[aria-busy="false"]').waitFor();
    expect(await alerted()).toBe('');
    expect(await page.locator('main').innerText()).not.toMatch(
      /an 8 and a 9|29 digits|They do not fit/,
    );
    await page.getByText('The model takes instances of 4. Open a bag to check it.').waitFor();
    await drop(page, [read('two_bags.csv')]);
    await page.getByText('1 of 2', { exact: true }).waitFor();
    await explained(page);

    await openMenu(page, 'Examples');
    await page.getByRole('button', { name: 'Open the bundled example' }).click();
    await explained(page);
    await drop(page, [
      { name: 'slope.png', bytes: grey(564, 564, (x, y) => (x * 3 + y * 5) % 256) },
    ]);
    await page.getByText('Open the model that predicts it').first().waitFor();
    await page.locator('main[aria-busy="false"]').waitFor();
    expect(await alerted()).toBe('');
    expect(await page.locator('main').innerText()).not.toMatch(/an 8 and a 9|supports “/);
    await drop(page, [read('pixels.onnx')]);
    await page.getByText('4 patches of 3 × 64 × 64').waitFor();
    await explained(page);
  },
);
