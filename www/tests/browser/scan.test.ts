// The bundled slide of a scanner: encoded, explained and judged by the explorer, and looked at in
// the article. Each fetches it only for an address that asks for it.
import { expect, test } from 'vitest';
import { figure, live, read, violations } from './article';
import { b, site } from './site';
import { long } from '../patience';

const held = (url: string) => /\.svs|\.geojson|density/.test(url);

/** Leaves out what the browser reports. */
const ours = (text: string) => !/GL Driver Message|No available adapters/.test(text);

test('the explorer encodes the slide by itself and judges its map by the truth', async () => {
  const { page, requests, complaints } = await read(b, `${site.look}?example=nuclei`, {
    alive: false,
  });
  await page.locator('main[data-sealed]').waitFor();
  await page.getByText('For all 1 002 patches.').waitFor({ timeout: long });
  expect(requests.filter(held)).toHaveLength(2);
  const before = requests.length;
  await page.getByRole('button', { name: 'Measure faithfulness' }).click();
  const table = page.locator('section[aria-labelledby="judge-title"] table');
  await table.waitFor({ timeout: long });
  expect(await table.innerText()).toContain('NDCG');
  expect(requests.slice(before).filter((url) => !url.startsWith('blob:'))).toEqual([]);
  expect(complaints.filter(ours)).toEqual([]);
  await page.context().close();
});

test('the article has the slide for an address that asks for it, on a phone and in the dark', async () => {
  const plain = await read(b, site.url);
  expect(plain.requests.filter(held)).toEqual([]);
  await figure(plain.page, 'slide').getByRole('link', { name: 'Open the slide here' }).click();
  await plain.page.waitForURL('**/?slide#slide');
  await plain.page.context().close();

  const { page, requests, complaints } = await read(b, `${site.url}?slide#slide`, {
    viewport: { width: 320, height: 700 },
    colorScheme: 'dark',
  });
  await live(page);
  const part = figure(page, 'slide');
  const status = part.locator('figcaption [role="status"]');
  await status.getByText('1002 patches have many nuclei').waitFor({ timeout: long });
  expect(requests.filter(held)).toHaveLength(2);
  const found = /NDCG@(\d+) is (\d\.\d+); a random map has (\d\.\d+)/;
  const [, n, ndcg, random] = found.exec(await status.innerText())!;
  expect(Number(ndcg)).toBeGreaterThan(2 * Number(random));
  expect(Number(random)).toBeCloseTo(Number(n) / 1002, 2);

  // By the keyboard: another layer, another patch, another scale.
  const before = requests.length;
  await part.getByRole('radio', { name: 'The map' }).focus();
  await page.keyboard.press('ArrowRight');
  await part.getByText('measured from the pixels').waitFor();
  await part.getByRole('slider', { name: 'Patch at rank' }).focus();
  await page.keyboard.press('ArrowRight');
  await part.getByText('Rank 2.').waitFor();
  await part.getByRole('radio', { name: '1 µm' }).focus();
  await page.keyboard.press('ArrowRight');
  await status
    .getByText(/of 2\d\d patches have many nuclei|of 3\d\d patches have many nuclei/)
    .waitFor({ timeout: long });
  expect(requests.slice(before).filter((url) => !url.startsWith('blob:'))).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
  expect(await violations(page)).toEqual([]);
  expect(complaints.filter(ours)).toEqual([]);
  await page.context().close();
});

test('the article asks which slices show the nodule, and judges the answer and the map', async () => {
  const { page, requests, complaints } = await read(b, `${site.url}?series#series`, {
    viewport: { width: 320, height: 700 },
    colorScheme: 'dark',
  });
  await live(page);
  const part = figure(page, 'series');
  const slice = part.getByRole('slider', { name: 'Slice' });
  await slice.waitFor({ timeout: long });
  const truth = part.getByRole('img', { name: 'The truth: slices 16, 17, 18, 19, 20, 21, 22' });
  expect(await truth.count()).toBe(0);
  const before = requests.length;
  // By the keyboard: one right and one wrong slice.
  for (const [at, mark] of [
    ['17', true],
    ['2', true],
    ['5', true],
    ['5', false],
  ] as const) {
    await slice.fill(at);
    await part.getByRole('checkbox', { name: 'I see the nodule here' }).setChecked(mark);
  }
  await part.getByRole('img', { name: 'Your answer: slices 3, 18' }).waitFor();
  await part.getByRole('button', { name: 'Show the map and the truth' }).click();
  await truth.waitFor();
  const status = part.locator('figcaption [role="status"]');
  expect(await status.innerText()).toMatch(
    /predicts a nodule \(.*%\)\. 5 slices support it, and all of them show the nodule, which is in 7/,
  );
  expect(await status.innerText()).toContain('You marked 2; 1 of them shows it.');
  const colours = await part
    .locator('canvas')
    .evaluate((c: HTMLCanvasElement) => [
      ...new Set(c.getContext('2d')!.getImageData(0, 0, c.width, c.height).data),
    ]);
  expect(colours.length).toBeGreaterThan(50);
  await part.getByRole('button', { name: 'Hide them' }).click();
  expect(await truth.count()).toBe(0);
  expect(requests.slice(before).filter((url) => !url.startsWith('blob:'))).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
  expect(await violations(page)).toEqual([]);
  expect(complaints.filter(ours)).toEqual([]);
  await page.context().close();
});

test('the article says what the slide teaches without scripts', async () => {
  const context = await b.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(site.url);
  const part = figure(page, 'slide');
  await part.getByText('A map looks convincing soon.').waitFor();
  expect(await part.getByRole('link', { name: 'Open the slide here' }).isVisible()).toBe(false);
  await context.close();
});
