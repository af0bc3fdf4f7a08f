// Slides: read by ranges, looked at in OpenSeadragon, with the map of their features over them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PNG } from 'pngjs';
import { expect, test } from 'vitest';
import { page, seen } from './explorer';
import { data, drop, explained, openMenu, scores } from './page';

const slides = (name: string) => join(data('../../../core/slide/testdata'), name);
const pyramid = (name = 'slide.tif') => ({ name, bytes: readFileSync(slides('jpeg_420.tif')) });
const model = () => ({ name: 'attention4.onnx', bytes: readFileSync(data('attention4.onnx')) });

/** Features of 15 patches of 30 pixels, which cover the slide of 150 x 110 pixels as far as they can. */
const features = () => {
  const rows = Array.from({ length: 15 }, (_, i) => {
    const values = [Math.sin(i), Math.cos(2 * i), i / 15, 1 - i / 15].map((v) => v.toFixed(3));
    return [30 * (i % 5), 30 * Math.floor(i / 5), ...values].join();
  });
  const text = ['x,y,f1,f2,f3,f4', ...rows].join('\n') + '\n';
  return { name: 'features.csv', bytes: Buffer.from(text) };
};
const open = () => page.locator('[data-slide="open"]');

test('a slide alone is shown at once, without a request, and closes for another file', async () => {
  await page.locator('main[data-sealed]').waitFor();
  const before = seen.requests.length;
  await drop(page, [pyramid()]);
  await open().waitFor();
  await page.getByText(/150 × 110 pixels, .* 3 levels/).waitFor();
  await page.getByText('Add features of its patches').first().waitFor();
  await page.getByRole('img', { name: /Scale bar/ }).waitFor();
  expect(seen.requests.length).toBe(before);
  await openMenu(page, 'More');
  await page.getByRole('button', { name: 'Side by side' }).click();
  await expect.poll(() => open().count()).toBe(2);
  await openMenu(page, 'Examples');
  await page.getByRole('button', { name: 'Open the bundled example' }).click();
  await explained(page);
  expect(await page.locator('[data-slide]').count()).toBe(0);
});

test('a slide of JPEG 2000 is shown without a request: its decoder came before the seal', async () => {
  await page.locator('main[data-sealed]').waitFor();
  const before = seen.requests.length;
  await drop(page, [{ name: 'slide.svs', bytes: readFileSync(slides('aperio_33005.svs')) }]);
  await open().waitFor();
  await page.getByText(/150 × 110 pixels, .* 2 levels/).waitFor();
  // A disc of this colour lies at the left of the middle; a tile that cannot be decoded is grey.
  await expect.poll(() => colourAt(0.4, 0.45)).toEqual([170, 40, 130]);
  expect(seen.requests.length).toBe(before);
  await openMenu(page, 'Examples');
  await page.getByRole('button', { name: 'Open the bundled example' }).click();
  await explained(page);
});

test('the files of a slide of DICOM are one slide, alone and with features', async () => {
  const parts = ['label.dcm', '1.dcm', '0.dcm'].map((name) => ({
    name,
    bytes: readFileSync(slides(`dicom/${name}`)),
  }));
  await drop(page, parts);
  await open().waitFor();
  await page.getByText(/150 × 110 pixels, .* 2 levels/).waitFor();
  await expect.poll(() => colourAt(0.4, 0.45)).toEqual([170, 40, 130]);
  expect(await page.getByText(/MARKED/).count()).toBe(0);
  await page.getByRole('region', { name: 'Patches of the slide' }).waitFor();
  await drop(page, [model(), features(), ...parts]);
  await page.locator('[data-map]').waitFor();
  expect(await scores(page)).toHaveLength(15);
  await openMenu(page, 'Examples');
  await page.getByRole('button', { name: 'Open the bundled example' }).click();
  await explained(page);
});

/** The colour at a part of the width and height of the open slide, within 8 of what is drawn. */
async function colourAt(x: number, y: number): Promise<number[]> {
  const { data: rgba, width, height } = PNG.sync.read(await open().screenshot());
  const at = 4 * (Math.round(y * height) * width + Math.round(x * width));
  return [170, 40, 130].map((want, c) =>
    Math.abs(rgba[at + c]! - want) <= 8 ? want : rgba[at + c]!,
  );
}

test('features chosen with their slide, or after it, are mapped over it', async () => {
  await drop(page, [model(), pyramid()]);
  await open().waitFor();
  await drop(page, [features()]);
  await page.getByText('15 patches of 4').first().waitFor();
  await page.locator('td.number').first().waitFor();
  expect(await scores(page)).toHaveLength(15);
  await page.locator('[data-map]').waitFor();
  await openMenu(page, 'More');
  await page.getByLabel('Shading').selectOption('smooth');
  // The patch in the middle of the slide: a click selects it, and so does another one.
  const box = (await open().boundingBox())!;
  const spot = { x: box.width / 2, y: box.height / 2 };
  await open().click({ position: spot });
  await page.getByRole('heading', { name: 'Patch 8' }).waitFor();
  // Two clicks at the same place would zoom, if the second came soon.
  await open().click({ position: { x: spot.x + 25, y: spot.y } });
  await page.getByRole('heading', { name: 'Patch 8' }).waitFor();
  expect(await page.getByText('Removed.').count()).toBe(0);
  await page.keyboard.press('Delete');
  await page.getByText('Removed.').first().waitFor();
});

test('pairs are lines over the slide, and what is marked has a frame', async () => {
  await drop(page, [model(), pyramid(), features()]);
  await page.locator('[data-map]').waitFor();
  await page.locator('td.number').first().waitFor();
  const panel = page.locator('section[aria-labelledby="whatif-title"]');
  await panel.getByRole('button', { name: 'Find pairs' }).click();
  const table = panel.getByRole('region', { name: 'Pairs of patches' });
  const mark = table.getByRole('button', { name: /^Mark / }).first();
  await mark.waitFor();
  const frame = page.locator('.frame').filter({ has: open() });
  const lines = frame.getByRole('img', { name: /drawn as lines/ });
  expect(await lines.locator('.completes, .standsin').count()).toBeGreaterThan(0);
  expect(await frame.locator('rect.marked').count()).toBe(0);
  await mark.click();
  await expect.poll(() => frame.locator('rect.marked').count()).toBeGreaterThan(1);
  // They follow the slide.
  const x = () => frame.locator('rect.marked').first().getAttribute('width').then(Number);
  const before = await x();
  await frame.locator('.cursor').press('-');
  await expect.poll(x).toBeLessThan(0.95 * before);
});

test('the report and the picture have the slide with its map, a scale bar and no label', async () => {
  await drop(page, [model(), pyramid()]);
  await open().waitFor();
  await drop(page, [features()]);
  await page.locator('[data-map]').waitFor();
  await page.locator('td.number').first().waitFor();
  const saved = async (name: string) => {
    await openMenu(page, 'Save');
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name }).click(),
    ]);
    return readFileSync((await file.path())!);
  };
  const html = (await saved('Save report')).toString();
  expect(html).toMatch(/<dt>Slide<\/dt><dd>150 × 110 pixels, .* µm a pixel, .*3 levels/);
  expect(html).toContain('class="legend"');
  // Of pictures, it has the overview and those of patches alone.
  expect(html.match(/<img /g)).toHaveLength(1 + 12);
  // The bar is a line of ink in the lower left corner of the slide.
  const { width, data } = PNG.sync.read(await saved('Save PNG'));
  const dark = (x: number, y: number) =>
    [0, 1, 2].every((c) => data[4 * (y * width + x) + c]! < 90);
  const longest = Math.max(
    ...Array.from({ length: 110 }, (_, y) => {
      let [run, most] = [0, 0];
      for (let x = 0; x < width / 3; x++) most = Math.max(most, (run = dark(x, y) ? run + 1 : 0));
      return most;
    }),
  );
  expect(longest).toBeGreaterThanOrEqual(10);
});

test('the map is saved as OME-TIFF and as tiles, where there is a slide', async () => {
  const ome = page.getByRole('button', { name: 'Save OME-TIFF' });
  expect(await ome.count()).toBe(0);
  await drop(page, [model(), pyramid(), features()]);
  await page.locator('[data-map]').waitFor();
  await page.locator('td.number').first().waitFor();
  const saved = async (name: string) => {
    await openMenu(page, 'Save');
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name }).click(),
    ]);
    return { name: file.suggestedFilename(), bytes: readFileSync((await file.path())!) };
  };
  const tiff = await saved('Save OME-TIFF');
  expect(tiff.name).toMatch(/\.ome\.tif$/);
  expect(tiff.bytes.subarray(0, 4).toString('latin1')).toBe('II\x2b\x00');
  // A picture for each class, named by it.
  expect(tiff.bytes.toString('latin1').match(/<Image /g)).toHaveLength(
    (await scores(page))[0]!.scores.length,
  );
  const patches = (await saved('Save patches')).bytes.toString('latin1');
  expect(patches).toContain('class1-lowest-007-instance');
  expect(patches).toContain('tiles.csv');
  expect(patches).toContain('class1.png');
  const tiles = await saved('Save DZI');
  const inside = tiles.bytes.toString('latin1');
  const stem = tiles.name.replace(/\.zip$/, '');
  expect(stem).not.toBe(tiles.name);
  expect(inside).toContain(`${stem}_files/0/0_0.png`);
  expect(inside).toContain(`${stem}.dzi`);
  await expect.poll(() => page.locator('main').getAttribute('aria-busy')).toBe('false');
});

test('a damaged slide is refused in words, and the page stays as it is', async () => {
  const { bytes } = pyramid();
  await drop(page, [{ name: 'cut.svs', bytes: bytes.subarray(0, 300) }]);
  await page.getByRole('alert').getByText('cut.svs').first().waitFor();
  expect(await page.locator('[data-slide]').count()).toBe(0);
});
