// What is drawn is evidence: chance has no colour and no sign, classes share a scale, and a legend
// says so in numbers.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { page } from './explorer';
import { b, site } from './site';
import {
  cells,
  colour,
  data,
  drop,
  explained,
  number,
  pick,
  scores,
  openMenu,
  visit,
} from './page';

const read = (name: string) => ({
  name: name.replace(/^.*\//, ''),
  bytes: readFileSync(data(name)),
});
const legend = () => page.getByRole('group', { name: 'Legend' });

/** The scores of the table that are written in grey, as instance and column. */
const unclear = () =>
  page
    .locator('section[aria-labelledby="table-title"] tbody tr')
    .evaluateAll((rows) =>
      rows.flatMap((row) =>
        [...row.querySelectorAll('td.number')].flatMap((td, cls) =>
          td.classList.contains('unclear')
            ? [[Number(row.querySelector('th')!.innerText) - 1, cls]]
            : [],
        ),
      ),
    );

test(
  'scores that chance explains are grey, without a sign, and counted; a screen reader ' +
    'learns the same',
  async () => {
    const grey = await unclear();
    expect(grey.length).toBeGreaterThan(0);
    expect(await legend().innerText()).toContain(`${grey.length} of 116 do not stand out from 0`);
    for (const [instance, cls] of [grey[0]!, grey.at(-1)!]) {
      const [r, g, b] = await colour(page, instance!, cls!);
      expect(Math.max(r, g, b) - Math.min(r, g, b), `rgb(${r}, ${g}, ${b})`).toBeLessThan(16);
    }
    // And what is evidence is not grey.
    const all = (await scores(page)).flatMap((row) =>
      row.scores.map((s, cls) => ({ ...row, s, cls })),
    );
    const best = all.reduce((a, s) => (Math.abs(s.s) > Math.abs(a.s) ? s : a));
    const strong = await colour(page, best.instance, best.cls);
    expect(Math.max(...strong) - Math.min(...strong)).toBeGreaterThan(60);
    // The predicted class is the last one; its grey instances are announced without a verdict.
    const quiet = grey.find(([, cls]) => cls === 3)![0]!;
    await pick(page, quiet);
    await page
      .getByRole('gridcell', {
        name: `digit ${quiet + 1} does not stand out from 0 for “an 8 and a 9”`,
      })
      .waitFor();
  },
);

test('all classes share one scale; each by itself is a choice that the legend names', async () => {
  const text = await legend().innerText();
  const most = Math.max(...(await scores(page)).flatMap((r) => r.scores.map(Math.abs)));
  expect(text).toContain('log-odds, one scale for 4 classes');
  expect(number(text.match(/\+([\d.]+)/)![1]!)).toBe(most);
  const before = await cells(page);
  await page.getByRole('checkbox', { name: 'Each class on its own scale' }).check();
  await expect
    .poll(() => legend().innerText())
    .toMatch(/each class on its own scale; 100 % is, in log-odds: neither 8 nor 9: [\d.]+, an 8: /);
  expect(await legend().innerText()).toMatch(/−100 %\s+\+100 %/);
  await explained(page);
  expect((await cells(page)).length).toBe(before.length);
});

test('Single is measured from the mean of the bag, and the legend says so', async () => {
  await page.getByLabel(/^How to score /).selectOption('single');
  await page.getByText('Single, seed 0').waitFor();
  await explained(page);
  expect(await legend().innerText()).toMatch(
    /measured from the neutral point neither 8 nor 9: 0\.\d+/,
  );
  // A probability has no sign of its own: below the neutral point it refutes, and is written
  // without a plus.
  const cells = await page
    .locator('section[aria-labelledby="table-title"] td.refute')
    .allInnerTexts();
  expect(cells.length).toBeGreaterThan(0);
  expect(cells.every((t) => /^[\d.e−]+$/.test(t))).toBe(true);
});

test('a bag of equal instances supports nothing and refutes nothing', async () => {
  const rows = Array.from({ length: 12 }, () => 'a,1,0.5,0.25,0').join('\n');
  await drop(page, [
    read('attention4.onnx'),
    { name: 'equal.csv', bytes: Buffer.from(`bag,f1,f2,f3,f4\n${rows}\n`) },
  ]);
  await page.getByText('12 instances of 4').waitFor();
  await explained(page);
  await expect
    .poll(() => page.getByRole('status').last().innerText())
    .not.toMatch(/supports|refutes/);
  expect(await legend().innerText()).toMatch(/2?4 of 24 do not stand out from 0/);
  for (const [i, c] of [
    [0, 0],
    [7, 1],
  ] as const) {
    const quiet = await colour(page, i, c);
    // The grey is a little blue; the palest tint has more than 60.
    expect(Math.max(...quiet) - Math.min(...quiet)).toBeLessThan(24);
  }
});

test(
  'on a map patches that chance explains are grey, and the legend is that of the class ' + 'on it',
  async () => {
    await drop(page, [read('attention4.onnx'), read('files/clam.h5')]);
    await page.getByText('12 patches of 4').waitFor();
    await explained(page);
    expect(await legend().innerText()).toMatch(/log-odds, one scale for 2 classes/);
    const own = await unclear();
    const face = Number(await page.getByLabel('Class on the picture').inputValue());
    const mine = own.filter(([, c]) => c === face).map(([i]) => i!);
    if (mine.length > 0)
      expect(await legend().innerText()).toContain(`${mine.length} of 12 do not stand out from 0`);
    await openMenu(page, 'More');
    await page.getByLabel('Only the top').selectOption('5');
    await expect.poll(() => legend().innerText()).toContain('bright: the 5 highest scores');
  },
);

test(
  'beside the map stands how far it can be trusted, for the class and the method that ' +
    'are shown',
  async () => {
    const line = page.locator('p.trust');
    await expect
      .poll(() => line.innerText())
      .toMatch(
        /^Trust in the scores of “an 8 and a 9”: .*random order does .*gives the same order/,
      );
    expect(await line.innerText()).toMatch(/Single [\d.−]+, One Removed [\d.−]+, Inherent/);
    await page.getByLabel(/^How to score /).selectOption('single');
    await page.getByText('Single, seed 0').waitFor();
    const before = await line.innerText();
    await expect.poll(() => line.innerText()).toMatch(/^Trust in the scores of “an 8 and a 9”: /);
    await page.getByRole('checkbox', { name: 'an 8 and a 9', exact: true }).uncheck();
    await expect
      .poll(() => line.innerText())
      .toMatch(/^Trust in the scores of “neither 8 nor 9”: /);
    expect(before).not.toBe(await line.innerText());
    // Attention weights the 8s and 9s most, which this class is without.
    expect(await line.innerText()).toMatch(/Inherent −\d[^-]*$/);
  },
);

test('a bag without an 8 or a 9 is drawn quieter than one with both', async () => {
  await explained(page);
  /** The mean colourfulness of the cells of scores, 0 to 255. */
  const loudness = async () => {
    const strips = (await cells(page)).filter(([, c]) => c !== null);
    return page.locator('canvas[data-cells]').evaluate((canvas: HTMLCanvasElement, strips) => {
      const context = canvas.getContext('2d')!;
      let sum = 0;
      let n = 0;
      for (const [, , x, y, width, height] of strips) {
        const { data } = context.getImageData(x!, y!, width!, height!);
        for (let i = 0; i < data.length; i += 4, n++) sum += Math.abs(data[i]! - data[i + 2]!);
      }
      return sum / n;
    }, strips);
  };
  const both = await loudness();
  await page.getByRole('combobox', { name: 'Bag', exact: true }).selectOption({ index: 3 });
  await page.getByText('4 of 6').waitFor();
  await explained(page);
  const neither = await loudness();
  expect(both).toBeGreaterThan(10);
  expect(neither).toBeLessThan(both / 2);
});

test('below the map stands what the scores are', async () => {
  const note = page.getByText(/^Scores are differences of log-odds/);
  expect(await note.innerText()).toMatch(
    /^Scores are differences of log-odds, .*, not of probabilities\.$/,
  );
  await page.getByLabel(/^How to score /).selectOption('single');
  await page.getByText('Single, seed 0').waitFor();
  await expect.poll(() => note.count()).toBe(0);
});

test('on a map the patches with a colour carry their numbers, where they have room', async () => {
  const { page: tissue } = await visit(b, `${site.look}?example=tissue`);
  await explained(tissue);
  const numbers = async () =>
    (await tissue.locator('.frame svg text').allTextContents()).map(Number);
  await tissue.getByRole('button', { name: 'Zoom in' }).click();
  await expect.poll(async () => (await numbers()).length).toBeGreaterThan(10);
  const listed = await tissue
    .getByRole('option')
    .evaluateAll((rows) => rows.map((row) => Number(row.id.replace('listed-', '')) + 1));
  const drawn = await numbers();
  expect(listed).toEqual(expect.arrayContaining(drawn));
  await tissue.keyboard.press('m');
  await expect.poll(async () => (await numbers()).length).toBe(0);
  await tissue.context().close();
});
