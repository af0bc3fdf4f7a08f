// What 8 concepts of a bag of 10,000 instances do together, in Chromium: their 256 coalitions.
import { fileURLToPath } from 'node:url';
import { test } from 'vitest';
import { browser } from '../browser/page';
import { host } from '../browser/host';
import { measured } from './measured';

test('256 coalitions of a bag of 10,000 in Chromium', async () => {
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  const [b, site] = await Promise.all([browser(), host(root)]);
  const page = await b.newPage();
  await page.goto(`${site.url}wasm/npm/test/page.html`);
  await page.waitForFunction(() => 'bagscope' in window);
  const times = await page.evaluate(() => {
    const { bagscope } = window as unknown as {
      bagscope: { concepts(model: string): Promise<number[]> };
    };
    return bagscope.concepts('/testdata/models/zoo/abmil_gated/model.onnx');
  });
  const middle = times.sort((a, z) => a - z)[times.length >> 1]!;
  measured('256 coalitions of a bag of 10,000 in Chromium, ms', middle, 100);
  await b.close();
  await site.close();
});
