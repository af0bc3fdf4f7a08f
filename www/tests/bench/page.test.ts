// The measuring page: how much faster the engine is than explaining without encoding once.
import { expect, test } from 'vitest';
import { b, site } from '../browser/site';
import { long } from '../patience';
import { measured } from './measured';

test('an explanation of the digits beside one by a plain model', async () => {
  const page = await b.newPage();
  await page.goto(`${site.url}bench/#rounds=1&only=digits`);
  await page.getByRole('button', { name: 'Measure' }).click();
  await page.getByText(/^Done in/).waitFor({ timeout: long });
  await page.locator('summary').click();
  const { rows } = JSON.parse(await page.locator('pre').innerText()) as {
    rows: { engine: string; median_ms: number }[];
  };
  const of = (engine: string) => rows.filter((r) => r.engine === engine).map((r) => r.median_ms);
  expect(of('plain')).toHaveLength(of('bagscope').length);
  measured('time of the engine over that of plain', of('bagscope')[1]! / of('plain')[1]!, 0.33);
  await page.close();
});
