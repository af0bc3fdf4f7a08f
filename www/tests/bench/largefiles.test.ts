// Large files in the explorer: the longest tasks of its thread while a picture is decoded and cut,
// and while a slide is encoded.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { page } from '../browser/explorer';
import { data, drop, explained } from '../browser/page';
import { tiff } from '../browser/tiff';
import { long } from '../patience';
import { measured } from './measured';
import { traced } from './tasks';

const file = (name: string) => ({ name, bytes: readFileSync(data(name)) });

test('the longest task while a picture of 99 megapixels is decoded and cut', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bagscope-stages-'));
  const large = join(folder, 'large.tif');
  writeFileSync(large, tiff(11_000, 9000));
  const { tasks } = await traced(page, async () => {
    await page.getByLabel('Choose bag').setInputFiles([data('pixels.onnx'), large]);
    await page.getByText(/patches of 3 × 64 × 64/).waitFor({ timeout: long });
    await explained(page);
  });
  measured('explorer: a large picture, ms', tasks[0]!, 100);
  rmSync(folder, { recursive: true });
});

test('the longest task while patches of a slide are encoded', async () => {
  const form = page.getByRole('region', { name: 'Patches of the slide' });
  const slide = readFileSync(data('../../../core/slide/testdata/none_big_endian.tif'));
  await drop(page, [
    file('attention4.onnx'),
    file('encoder4_slow.onnx'),
    { name: 'slide.tif', bytes: slide },
  ]);
  await form.getByText('encoder4_slow.onnx').waitFor();
  await form.getByLabel('Patches without tissue, too').check();
  await form.getByLabel('Microns a pixel').fill('0.5');
  await form.getByLabel('Microns a pixel').press('Tab');
  await form.getByText(/All together take about/).waitFor({ timeout: long });
  const { tasks } = await traced(page, async () => {
    await form.getByRole('button', { name: 'Encode', exact: true }).click();
    // A fast machine has encoded all of them before it is asked.
    const all = form.getByText(/All \d+ patches are encoded/);
    const filled = async () =>
      Number(await page.locator('[data-tiled]').first().getAttribute('data-filled'));
    const enough = async () => (await filled()) > 30 || (await all.count()) > 0;
    await expect.poll(enough, { timeout: long }).toBe(true);
  });
  measured('explorer: encoding, ms', tasks[0]!, 100);
});
