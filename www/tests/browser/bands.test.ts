// A picture of bands, whose patches an encoder encodes: which bands mattered, in one patch and in the
// strongest ones together.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { violations } from './article';
import { page, seen } from './explorer';
import { data, drop } from './page';
import { root } from './pages';

/** The means of four bands, (n, 4, 10, 10) to (n, 4); its card takes bands 1, 2, 3 and 5. */
const encoder = {
  name: 'means.onnx',
  bytes: Buffer.from(
    'CAg6awoyCgF4EgFmIgpSZWR1Y2VNZWFuKg0KBGF4ZXNAAkADoAEHKg8KCGtlZXBkaW1zGACgAQISAWdaHAoB' +
      'eBIXChUIARIRCgMSAW4KAggECgIICgoCCApiFAoBZhIPCg0IARIJCgMSAW4KAggEQgQKABARcmMKCGJhZ3Nj' +
      'b3BlEld7ImJhbmRzIjogeyJ1c2UiOiBbMSwgMiwgMywgNV19LCAicHJlcHJvY2VzcyI6IHsic2NhbGUiOiAw' +
      'LjAwMX0sICJwYXRjaCI6IHsic2l6ZSI6IDEwfX0=',
    'base64',
  ),
};
const scene = {
  name: 'scene.tif',
  bytes: readFileSync(path.join(root, 'core/slide/testdata/bands/16.tif')),
};

test('the bands of a patch, and of the strongest together, are said with bars', async () => {
  await drop(page, [
    scene,
    { name: 'attention4.onnx', bytes: readFileSync(data('attention4.onnx')) },
    encoder,
  ]);
  const form = page.getByRole('region', { name: 'Patches of the slide' });
  await form.getByRole('button', { name: 'Encode', exact: true }).click();
  await form.getByText('All 12 patches are encoded.').waitFor();
  await page.locator('[role=listbox] [role=option]').first().click();
  const before = seen.requests.length;
  await page.getByRole('button', { name: 'Which bands?' }).click();
  const found = page.getByRole('figure').filter({ hasText: 'Bands of patch' });
  await found.waitFor();
  await found.getByText('numbered in the order in which the model takes them').waitFor();
  expect(await found.locator('svg [data-part]').count()).toBe(4);
  await page.getByRole('button', { name: 'Which bands of the strongest 8' }).click();
  await page.getByRole('figure').filter({ hasText: '8 patches' }).waitFor();
  expect(await violations(page)).toEqual([]);
  expect(seen.requests.slice(before)).toEqual([]);
});
