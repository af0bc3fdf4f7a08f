// From a slide to a bag in the page: mask, grid, encoder, stages, stop and resume, files.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { page, seen, turnTo } from './explorer';
import { data, drop, scores, openMenu } from './page';
import { site } from './site';
import { long } from '../patience';

const slides = (name: string) => join(data('../../../core/slide/testdata'), name);
const slide = () => ({ name: 'slide.tif', bytes: readFileSync(slides('none_big_endian.tif')) });
const file = (name: string) => ({ name, bytes: readFileSync(data(name)) });
const form = () => page.getByRole('region', { name: 'Patches of the slide' });
const button = (name: string) => form().getByRole('button', { name, exact: true });

/** Without the microns of a pixel, a slide is cut as a picture. */
const PIXELS_CARD = JSON.stringify({ patch: { size: 16, mpp: 0.5 } });

/** Drops a slide with its two models, and lays patches of 16 pixels over all of it. */
async function lay(encoder = 'encoder4.onnx') {
  await drop(page, [file('attention4.onnx'), file(encoder), slide()]);
  await form().getByText(encoder).waitFor();
  await form().getByLabel('Patches without tissue, too').check();
  await form().getByLabel('Microns a pixel').fill('0.5');
  await form().getByLabel('Microns a pixel').press('Tab');
  await form().getByText('(whole slide)').waitFor();
}

/** How far a box stands above the middle of its words, in pixels. */
const above = (box: Locator) =>
  box.evaluate((e) => {
    const words = document.createRange();
    words.selectNodeContents(e.nextSibling!);
    const [{ top, bottom }, own] = [words.getBoundingClientRect(), e.getBoundingClientRect()];
    return Math.abs(top + bottom - own.top - own.bottom) / 2;
  });

/** Patches that are filled in the picture. */
const filled = async () =>
  Number(await page.locator('[data-tiled]').first().getAttribute('data-filled'));

test('a slide, its encoder and a model give a map, and features that open again', async () => {
  const before = seen.requests.length;
  await lay();
  const box = form().getByLabel('Patches without tissue, too');
  expect(await above(box)).toBeLessThan(2);
  await box.uncheck();
  expect(await above(box)).toBeLessThan(2);
  await box.check();
  await form().getByText('(whole slide)').waitFor();
  await page.locator('[data-tiled]').waitFor({ state: 'attached' });
  // Nothing is missing, and no message says so.
  expect(await page.getByRole('button', { name: 'Close this message' }).count()).toBe(0);
  await form()
    .getByText(/All together take about/)
    .waitFor();
  await button('Encode').click();
  await form()
    .getByText(/All \d+ patches are encoded/)
    .waitFor();
  await page.locator('[data-map]').waitFor();
  const all = await scores(page);
  expect(all.length).toBeGreaterThan(20);
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    button('Save features').click(),
  ]);
  expect(saved.suggestedFilename()).toBe('slide.h5');
  const bytes = readFileSync((await saved.path())!);
  // In place of the slide, and beside it.
  await drop(page, [{ name: 'slide.h5', bytes }]);
  await page.getByText(`${all.length} patches of 4`).first().waitFor();
  await drop(page, [{ name: 'slide.h5', bytes }, slide()]);
  await page.locator('[data-map]').waitFor();
  await expect.poll(() => scores(page)).toEqual(all);
  expect(await form().count()).toBe(0);
  expect(seen.requests.length).toBe(before);
  expect(seen.complaints).toEqual([]);
});

test('that no card states the preprocessing is said before patches are encoded', async () => {
  const { name, bytes } = file('encoder4.onnx');
  const without = bytes.toString('latin1').replace('\bbagscope', '\bhagscope');
  await drop(page, [
    file('attention4.onnx'),
    { name, bytes: Buffer.from(without, 'latin1') },
    slide(),
  ]);
  await form().getByLabel('Side in pixels').fill('16');
  await form().getByLabel('Side in pixels').press('Tab');
  await form()
    .getByText('Neither model states the microns that a pixel of a patch covers. Enter them.')
    .waitFor();
  await form().getByLabel('Microns a pixel').fill('0.5');
  await form().getByLabel('Microns a pixel').press('Tab');
  await form().getByText('the model card states no preprocessing').waitFor();
  await button('Encode').waitFor();
});

/** What other libraries publish beside a model, and the side of pictures and microns that they state. */
const configurations = [
  [
    'config.json',
    {
      ...{ architecture: 'resnet34', num_classes: 1, class_names: ['tumor'] },
      ...{ patch_size_pixels: 16, spacing_um_px: 0.5 },
      transform: [
        { name: 'Resize', arguments: { size: 16 } },
        { name: 'ToTensor' },
        { name: 'Normalize', arguments: { mean: [0.7, 0.5, 0.6], std: [0.1, 0.1, 0.1] } },
      ],
    },
    ['16', '0.5'],
  ],
  ['timm.json', { input_size: [3, 24, 24], mean: [0, 0, 0], std: [1, 1, 1] }, ['24', '']],
  ['preprocessor_config.json', { do_resize: true, size: { height: 32, width: 32 } }, ['32', '']],
  [
    'metadata.json',
    {
      ...{ monai_version: '1.4.0', version: '0.6.1' },
      network_data_format: {
        inputs: {
          image: { ...{ type: 'image', num_channels: 3 }, spatial_shape: [40, 40] },
        },
      },
    },
    ['40', ''],
  ],
  [
    'tiatoolbox.json',
    {
      ...{ patch_input_shape: [48, 48], stride_shape: [48, 48] },
      input_resolutions: [{ units: 'mpp', resolution: 0.5 }],
    },
    ['48', '0.5'],
  ],
] as const;

test('the configuration of an encoder from another library states its pixels', async () => {
  const { name, bytes } = file('encoder4.onnx');
  const bare = Buffer.from(bytes.toString('latin1').replace('\bbagscope', '\bhagscope'), 'latin1');
  const entered = async () => [
    await form().getByLabel('Side in pixels').inputValue(),
    await form().getByLabel('Microns a pixel').inputValue(),
  ];
  for (const [i, [card, content, stated]] of configurations.entries()) {
    const own = { name: card, bytes: Buffer.from(JSON.stringify(content)) };
    const models = [file('attention4.onnx'), { name, bytes: bare }, slide()];
    await drop(page, [...(i === 0 ? models : []), own]); // the others are dropped alone
    await form().getByText('encoder4.onnx').waitFor();
    await expect.poll(entered).toEqual(stated);
    if (stated[1] === '') continue;
    // Nothing needs to be typed.
    await form()
      .getByText(/patch(es)?\. Tissue/)
      .waitFor();
    if (i === 0)
      expect(await form().getByText('the model card states no preprocessing').count()).toBe(0);
  }
  expect(await page.getByRole('alert').innerText()).toBe('');
});

test('an encoder that is dropped while the engine loads is told from the model', async () => {
  let release = () => {};
  const held = new Promise<void>((done) => (release = done));
  const other = await page.context().newPage();
  await other.route('**/*.wasm', async (route) => (await held, route.continue()));
  const asking = other.waitForRequest('**/*.wasm');
  await other.goto(site.look);
  await asking; // by the script of the page, which takes files by now
  turnTo(other);
  await drop(other, [file('attention4.onnx'), file('encoder4.onnx'), slide()]);
  release();
  await form().getByText('encoder4.onnx').waitFor();
  expect(await other.getByRole('alert').innerText()).toBe('');
});

test('an encoder in several files is opened when all are chosen or dropped together', async () => {
  const [encoder, tensors] = ['encoder4_parts.onnx', 'encoder4_parts.onnx.data'].map(file);
  const choose = (...files: { name: string; bytes: Buffer }[]) =>
    form()
      .getByLabel('Choose an encoder')
      .setInputFiles(
        files.map(({ name, bytes }) => ({
          name,
          mimeType: 'application/octet-stream',
          buffer: bytes,
        })),
      );
  const message = page.getByRole('alert');
  await drop(page, [file('attention4.onnx'), slide()]);
  await form().getByText('Choose the .onnx file of the encoder').waitFor();
  await choose(encoder!);
  await message
    .getByText(/encoder4_parts\.onnx\.data.*Choose it together with the encoder/)
    .waitFor();
  await choose({ ...tensors!, bytes: tensors!.bytes.subarray(1) }, encoder!);
  await message.getByText('cut short').waitFor();
  await choose(tensors!);
  await form()
    .getByText('.onnx file. Choose the encoder’s, and with it the files in which it keeps tensors.')
    .waitFor();
  expect(await form().getByText('encoder4_parts.onnx').count()).toBe(0);
  await choose(tensors!, encoder!);
  await form().getByText('encoder4_parts.onnx').waitFor();
  // Dropped with the model, and after one that came too early.
  await drop(page, [file('attention4.onnx'), encoder!, slide()]);
  await message.getByText(/encoder4_parts\.onnx\.data.*Drop it here/).waitFor();
  await drop(page, [tensors!]);
  await form().getByLabel('Patches without tissue, too').check();
  await form().getByLabel('Microns a pixel').fill('0.5');
  await form().getByLabel('Microns a pixel').press('Tab');
  await form().getByText('(whole slide)').waitFor();
  await button('Encode').click();
  await form()
    .getByText(/All \d+ patches are encoded/)
    .waitFor();
  const parts = await scores(page);
  expect(parts.length).toBeGreaterThan(20);
  await lay();
  await button('Encode').click();
  await expect.poll(() => scores(page)).toEqual(parts);
});

test('a model that takes pictures encodes them itself, and the pixels stay adjustable', async () => {
  const card = { name: 'pixels.bagscope.json', bytes: Buffer.from(PIXELS_CARD) };
  await drop(page, [file('pixels.onnx'), card, slide()]);
  await form().getByText('The model takes pictures and encodes them itself').waitFor();
  await form().getByLabel('Patches without tissue, too').check();
  await form().getByText('(whole slide)').waitFor();
  await page.getByRole('region', { name: 'Pixels' }).waitFor();
  await button('Encode').click();
  await form()
    .getByText(/All \d+ patches are encoded/)
    .waitFor();
  await page.locator('[data-map]').waitFor();
  expect((await scores(page)).length).toBeGreaterThan(20);
  await page
    .getByText(/patches of 3$/)
    .first()
    .waitFor();
  const fit = page.getByRole('region', { name: 'Do model and bag fit?' });
  await fit.getByText('They fit.').waitFor();
  await fit.getByText('Layers of the model have made these numbers').waitFor();
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    button('Save features').click(),
  ]);
  expect(readFileSync((await saved.path())!).length).toBeGreaterThan(1000);
});

test('a card puts the encoder before the model, which then takes pictures', async () => {
  const via = JSON.stringify({ via: 'encoder4.onnx', patch: { size: 16, mpp: 0.5 } });
  const card = { name: 'attention4.bagscope.json', bytes: Buffer.from(via) };
  await drop(page, [file('attention4.onnx'), card, slide()]);
  await page
    .getByRole('alert')
    .getByText(/encoder4\.onnx.*Drop it here/)
    .waitFor();
  await drop(page, [file('encoder4.onnx')]);
  await form().getByText('The model takes pictures and encodes them itself').waitFor();
  await form().getByLabel('Patches without tissue, too').check();
  await form().getByText('(whole slide)').waitFor();
  await button('Encode').click();
  await page.locator('[data-map]').waitFor();
  const chain = await scores(page);
  await lay();
  await button('Encode').click();
  await expect.poll(() => scores(page)).toEqual(chain);
});

test('stopped patches are kept, go on, and go on from a file', async () => {
  await lay('encoder4_slow.onnx');
  await form()
    .getByText(/All together take about/)
    .waitFor({ timeout: long });
  await button('Encode').click();
  await expect.poll(filled, { timeout: long }).toBeGreaterThan(4);
  await button('Stop').click();
  // The patches that were being encoded are counted when they are done.
  const said = page.getByText(/^Stopped\. \d+ patches are kept\.$/);
  const done = Number(/\d+/.exec((await said.textContent())!)![0]);
  expect(done).toBeGreaterThan(4);
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    button('Save features').click(),
  ]);
  const bytes = readFileSync((await saved.path())!);
  // A run that stopped at the end of a stage is explained already.
  if ((await button('Explain them').count()) > 0) await button('Explain them').click();
  await page.locator('[data-map]').waitFor();
  await expect.poll(async () => (await scores(page)).length).toBe(done);
  // Anew, from the file.
  await page.reload();
  await page.locator('main[data-sealed]').waitFor();
  await lay('encoder4_slow.onnx');
  await button('Encode').waitFor();
  await form()
    .getByLabel('Go on from a file …')
    .setInputFiles({ name: 'part.h5', mimeType: '', buffer: bytes });
  await form()
    .getByText(new RegExp(`^${done} of`))
    .waitFor();
  await button('Go on').click();
  await form()
    .getByText(/All \d+ patches are encoded/)
    .waitFor({ timeout: long });
});

test('a wrong setting is refused in words, and the mask follows its threshold', async () => {
  await drop(page, [file('attention4.onnx'), slide()]);
  await form().getByText('The model takes 4 features of each patch').waitFor();
  await form().getByText('Neither model states the side of a patch. Enter it.').waitFor();
  await form().getByLabel('Side in pixels').fill('16');
  await form().getByLabel('Microns a pixel').fill('0.5');
  await form().getByLabel('Overlap in pixels').fill('16');
  await form().getByLabel('Overlap in pixels').press('Tab');
  await form()
    .getByText(/overlap: it is 16 pixels/)
    .waitFor();
  await form().getByLabel('Overlap in pixels').fill('0');
  await form().getByLabel('Overlap in pixels').press('Tab');
  await form()
    .getByText(/saturation, Otsu/)
    .waitFor();
  await form().getByLabel('Tissue from saturation').fill('3');
  await form()
    .getByText(/given threshold 3/)
    .waitFor();
  expect(await button('Encode').count()).toBe(0);
});

test('a region is taken out by the mouse and by the keyboard', async () => {
  await lay();
  await button('Encode').click();
  await page.locator('[data-map]').waitFor();
  const cursor = page.locator('.frame .cursor');
  await cursor.focus();
  await cursor.press('ArrowRight');
  await cursor.press('Shift+ArrowRight');
  await cursor.press('Shift+ArrowDown');
  await cursor.press('Delete');
  await page.getByText('4 patches are removed').first().waitFor();
  await page.getByRole('button', { name: 'Restore all' }).click();
  await openMenu(page, 'More');
  await page.getByRole('button', { name: 'Lasso', exact: true }).click();
  const box = (await page.locator('svg.lasso').boundingBox())!;
  const to = (x: number, y: number) =>
    page.mouse.move(box.x + x * box.width, box.y + y * box.height, { steps: 3 });
  await to(0.3, 0.3);
  await page.mouse.down();
  for (const [x, y] of [
    [0.7, 0.3],
    [0.7, 0.7],
    [0.3, 0.7],
  ] as const)
    await to(x, y);
  await page.mouse.up();
  await page
    .getByText(/\d+ patch(es)? (is|are) removed/)
    .first()
    .waitFor();
});
