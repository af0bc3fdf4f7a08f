// A large picture: each stage of opening it says how far it is, and can be cancelled.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { page } from './explorer';
import { data, drop, explained, prediction } from './page';
import { tiff } from './tiff';
import { long } from '../patience';

const folder = mkdtempSync(join(tmpdir(), 'bagscope-stages-'));
afterAll(() => rmSync(folder, { recursive: true }));

const large = join(folder, 'large.tif');
writeFileSync(large, tiff(11_000, 9000));

const bar = () => page.getByRole('region', { name: 'Opening files' });

/** Opens the model and the picture, and returns what the bar says until both are explained. */
async function stages(): Promise<string[]> {
  await page.evaluate(() => {
    const seen: string[] = [];
    Object.assign(window, { seen });
    new MutationObserver(() => {
      for (const p of document.querySelectorAll('progress')) {
        const said = `${p.getAttribute('aria-label')} ${p.position < 0 ? '' : p.position.toFixed(2)}`;
        if (seen.at(-1) !== said) seen.push(said);
      }
    }).observe(document.body, { subtree: true, childList: true, attributes: true });
  });
  await page.getByLabel('Choose bag').setInputFiles([data('pixels.onnx'), large]);
  await page.getByText(/patches of 3 × 64 × 64/).waitFor({ timeout: long });
  await explained(page);
  return page.evaluate(() => (window as unknown as { seen: string[] }).seen);
}

test('decoding and cutting show their progress', async () => {
  const seen = await stages();
  const shares = (stage: string) =>
    seen
      .filter((s) => s.startsWith(stage) && /\d$/.test(s))
      .map((s) => Number(s.split(' ').at(-1)));
  for (const stage of ['Decoding the picture', 'Cutting the picture']) {
    const all = shares(stage);
    // How often is a matter of time, see unit/task.test.ts.
    expect(all.filter((share) => share > 0 && share < 1)).not.toEqual([]);
    expect(all).toEqual([...all].sort((a, b) => a - b));
  }
});

test('a picture that is cut again says how far it is, and can be cancelled', async () => {
  const card = page.getByRole('region', { name: 'Patches and pixels' });
  const count = () => page.getByText(/patches of 3 × 64 × 64/).innerText({ timeout: long });
  await page.getByLabel('Choose bag').setInputFiles([data('pixels.onnx'), large]);
  const before = await count();
  await explained(page);
  await page.getByLabel('Stride').fill('128');
  await card.getByRole('button', { name: 'Cut again' }).click();
  await card.getByText(/Cutting the picture into patches: \d+ %/).waitFor();
  await card.getByRole('button', { name: 'Stop' }).click();
  await expect.poll(() => card.getByRole('button', { name: 'Stop' }).count()).toBe(0);
  await explained(page);
  expect(await count()).toBe(before);
});

test('cancelled while the picture is decoded, the page shows what it showed before', async () => {
  const before = await prediction(page).innerText();
  await page.getByLabel('Choose bag').setInputFiles([data('pixels.onnx'), large]);
  await bar()
    .getByText(/Decoding the picture: \d+ %/)
    .waitFor();
  // Nothing of the example stands below the names of the new files.
  expect(await prediction(page).innerText()).not.toContain('%');
  await bar().getByRole('button', { name: 'Stop' }).click();
  await expect.poll(() => prediction(page).innerText()).toBe(before);
  expect(await page.getByText('digits.onnx', { exact: true }).count()).toBe(1);
  expect(await page.getByRole('alert').innerText()).toBe('');
  expect(await bar().count()).toBe(0);
  // The reader is free for the next picture.
  await drop(page, [
    { name: 'pixels.onnx', bytes: readFileSync(data('pixels.onnx')) },
    { name: 'picture.png', bytes: readFileSync(data('files/picture.png')) },
  ]);
  await page
    .getByText(/patch(es)? of 3 × 64 × 64/)
    .or(page.getByRole('alert').getByText('picture.png'))
    .waitFor();
});
