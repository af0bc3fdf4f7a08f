// Files that state something of a slide's patches, chosen or dropped on it, and regions that are
// drawn on it to be left out.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { violations } from './article';
import { page, seen } from './explorer';
import { data, drop, grey, scores } from './page';

const slides = (name: string) => join(data('../../../core/slide/testdata'), name);
const slide = () => ({ name: 'slide.tif', bytes: readFileSync(slides('none_big_endian.tif')) });
const file = (name: string) => ({ name, bytes: readFileSync(data(name)) });
const text = (name: string, content: string) => ({ name, bytes: Buffer.from(content) });
const form = () => page.getByRole('region', { name: 'Patches of the slide' });
const message = () => page.getByRole('alert');
/** How many patches are laid. */
const laid = async () =>
  Number(/^\d+/.exec(await form().locator('div[role=status]').innerText())?.[0]);

/** Half of the slide of 150 x 110 pixels, as GeoJSON. */
const half = JSON.stringify({
  type: 'Feature',
  properties: { classification: { name: 'Tumour' } },
  geometry: {
    type: 'Polygon',
    coordinates: [
      [
        [0, 0],
        [75, 0],
        [75, 110],
        [0, 110],
        [0, 0],
      ],
    ],
  },
});
/** A mask of the slide at half its size: its left third is white. */
const mask = () => grey(75, 55, (x) => (x < 25 ? 255 : 0));

/** Opens a slide with its two models, and lays patches of 16 pixels over all of it. */
async function lay(): Promise<number> {
  await drop(page, [file('attention4.onnx'), file('encoder4.onnx'), slide()]);
  await form().getByText('encoder4.onnx').waitFor();
  await form().getByLabel('Patches without tissue, too').check();
  await form().getByLabel('Microns a pixel').fill('0.5');
  await form().getByLabel('Microns a pixel').press('Tab');
  await form().getByText('(whole slide)').waitFor();
  return laid();
}
const choose = (role: string, { name, bytes }: { name: string; bytes: Buffer }) =>
  form().getByLabel(`${role}: choose a file`).setInputFiles({ name, mimeType: '', buffer: bytes });

test('files for tissue, what is left out and places are chosen and removed', async () => {
  const all = await lay();
  await form().getByText('Tissue and patches from files').click();
  await choose('Left out', text('half.geojson', half));
  await form()
    .getByText(/patches are left out, because they lie in half\.geojson/)
    .waitFor();
  const left = await laid();
  expect(left).toBeLessThan(all);
  await choose('Tissue', { name: 'mask.png', bytes: mask() });
  await message()
    .or(form())
    .getByText(/no patch of the slide is left/)
    .waitFor();
  await form().getByRole('button', { name: 'Left out: remove the file' }).click();
  await form()
    .getByText(/because they lie outside of the tissue of mask\.png/)
    .waitFor();
  await form().getByRole('button', { name: 'Tissue: remove the file' }).click();
  await choose('Patches', text('places.csv', 'x,y,width,height\n16,0,16,16\n48,32,16,16\n'));
  await form().getByText('the places of places.csv').waitFor();
  expect(await laid()).toBe(2);
  await form().getByRole('button', { name: 'Patches: remove the file' }).click();
  await expect.poll(laid).toBe(all);
  expect(await violations(page)).toEqual([]);
});

test('files that are dropped on a slide are recognised, applied or asked about', async () => {
  const before = seen.requests.length;
  const all = await lay();
  const card = text('classes.json', JSON.stringify({ classes: ['calm', 'busy'] }));
  // Two files of JSON go where they belong: a card to the model, annotations to the slide.
  await drop(page, [text('half.json', half), card]);
  await page.getByText('half.json has annotations of the slide.').waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: /^Left out/ }).click();
  await form()
    .getByText(/left out, because they lie in half\.json/)
    .waitFor();
  await expect.poll(laid).toBeLessThan(all);
  await form().getByRole('button', { name: 'Left out: remove the file' }).click();
  await expect.poll(laid).toBe(all);
  await drop(page, [{ name: 'any.png', bytes: mask() }]);
  await page.getByText('any.png is a mask of the slide.').waitFor();
  await page.getByRole('button', { name: /^Tissue/ }).click();
  await form()
    .getByText(/outside of the tissue of any\.png/)
    .waitFor();
  await drop(page, [text('at.csv', 'x,y,width,height\n16,0,16,16\n0,0,16,16\n48,32,16,16\n')]);
  await form().getByText('the places of at.csv').waitFor();
  expect(await laid()).toBe(3);
  await form().getByRole('button', { name: 'Encode', exact: true }).click();
  await page.locator('[data-map]').waitFor();
  await page.getByText('calm').first().waitFor();
  await drop(page, [text('half.geojson', half)]);
  await page.getByRole('button', { name: /^Truth/ }).click();
  await page.getByText('3 of 3 patches lie in annotations of half.geojson').first().waitFor();
  await page.getByRole('button', { name: 'Remove the truth' }).click();
  await expect.poll(() => page.getByText('Truth of the patches').count()).toBe(0);
  expect(seen.requests.length).toBe(before);
  expect(seen.complaints).toEqual([]);
});

test('annotations without a slide ask for the slide, and with it what they are for', async () => {
  await drop(page, [text('half.geojson', half)]);
  await message()
    .getByText('half.geojson states something of the patches of a slide. Open the slide first.')
    .waitFor();
  await drop(page, [file('attention4.onnx'), file('encoder4.onnx'), slide()]);
  await form().getByText('encoder4.onnx').waitFor();
  await drop(page, [text('half.geojson', half)]);
  await page.getByText('half.geojson has annotations of the slide.').waitFor();
});

test('annotations dropped on features with their slide are the truth of the patches', async () => {
  const rows = Array.from({ length: 15 }, (_, i) =>
    [30 * (i % 5), 30 * Math.floor(i / 5), Math.sin(i), Math.cos(i), i / 15, 1].join(),
  );
  const features = text('features.csv', ['x,y,f1,f2,f3,f4', ...rows].join('\n') + '\n');
  await drop(page, [file('attention4.onnx'), features, slide()]);
  await page.locator('[data-map]').waitFor();
  await drop(page, [text('half.xml', half), text('half.geojson', half)]);
  await page.getByText('6 of 15 patches lie in annotations of half.geojson').first().waitFor();
  expect(await scores(page)).toHaveLength(15);
});

test('a TIFF file of one level is a slide for a model of features', async () => {
  const scan = { name: 'scan.tif', bytes: readFileSync(slides('zstandard.tif')) };
  await drop(page, [scan, file('attention4.onnx'), file('encoder4.onnx')]);
  await form().getByText('encoder4.onnx').waitFor();
  await form().getByLabel('Microns a pixel').fill('0');
  await form().getByLabel('Microns a pixel').press('Tab');
  await expect.poll(laid).toBeGreaterThan(0);
});

test('a region is drawn to be left out by the mouse and the keyboard, and undone', async () => {
  const all = await lay();
  await form().getByRole('button', { name: 'Draw', exact: true }).click();
  const pen = page.getByRole('application', {
    name: 'Region that is left out: arrow keys, Enter, Escape',
  });
  await form()
    .getByText(
      'Draw a line on the slide around what is left out. On the keyboard: arrow keys move a cross, ' +
        'Enter sets two corners of a rectangle, Control+Z undoes, and Escape ends.',
    )
    .waitFor();
  const box = (await page.locator('svg.lasso').boundingBox())!;
  const corners = [
    [0.3, 0.3],
    [0.6, 0.3],
    [0.6, 0.6],
    [0.3, 0.6],
  ] as const;
  for (const [i, [x, y]] of corners.entries()) {
    await page.mouse.move(box.x + x * box.width, box.y + y * box.height, { steps: 3 });
    if (i === 0) await page.mouse.down();
  }
  await page.mouse.up();
  await form()
    .getByText(/patches are left out, because they lie in regions drawn on the slide/)
    .waitFor();
  const one = await laid();
  expect(one).toBeLessThan(all);
  expect(await violations(page)).toEqual([]);
  await pen.press('Control+z');
  await expect.poll(laid).toBe(all);
  await pen.press('Enter');
  // Patches that lie wholly in the region are left out.
  for (let i = 0; i < 5; i++) {
    await pen.press('Shift+ArrowRight');
    await pen.press('Shift+ArrowDown');
  }
  await pen.press('Enter');
  await form().getByText('1 region').waitFor();
  await expect.poll(laid).toBeLessThan(all);
  await pen.press('Escape');
  expect(await pen.count()).toBe(0);
  await form().getByRole('button', { name: 'Undo the last' }).click();
  await expect.poll(laid).toBe(all);
});

test('tiles with places in their names are a slide, of which each tile is a patch', async () => {
  const tile = (value: number) => grey(16, 16, (x) => (x < 8 ? value : 20));
  const tiles = Array.from({ length: 6 }, (_, i) => ({
    name: `s_x${16 * (i % 3)}_y${16 * Math.floor(i / 3)}.png`,
    bytes: tile(40 + 30 * i),
  }));
  await drop(page, [file('attention4.onnx'), file('encoder4.onnx'), ...tiles]);
  await form().getByText('encoder4.onnx').waitFor();
  await expect.poll(laid).toBe(6);
  await form().getByRole('button', { name: 'Encode', exact: true }).click();
  await page.locator('[data-map]').waitFor();
  expect(await scores(page)).toHaveLength(6);
});
