// The explorer: the longest tasks of its thread while it explains, and while a picture is cut,
// compared or moved.
import { readFileSync } from 'node:fs';
import { test } from 'vitest';
import { data, drop, explained, grey } from '../browser/page';
import { b, site } from '../browser/site';
import { PHONE, best, longest, throttle, type Step } from './tasks';

const picture = grey(2000, 1500, (x, y) => (x * 7 + y * 3) % 256);

const steps: Record<string, Step> = {
  load: async (page) => {
    await page.goto(site.look);
    await explained(page);
    await page.locator('main[data-sealed]').waitFor();
  },
  'next bag': async (page) => {
    await page.getByRole('button', { name: 'Next bag' }).click();
    await page.getByText('2 of 6').waitFor();
    await explained(page);
  },
  point: async (page) => {
    for (let i = 0; i < 8; i++) await page.locator('tbody tr').nth(i).hover();
  },
  'take out': async (page) => {
    await page.locator('tbody button').nth(3).click();
    await page.getByText('With 1 of').waitFor();
  },
  'all methods': async (page) => {
    await page.locator('#method').selectOption('all');
    await page.locator('.tabs').waitFor();
    await explained(page);
  },
  measure: async (page) => {
    await page.getByText('Measure faithfulness', { exact: true }).click();
    await page.locator('figure svg[role="img"]').waitFor();
  },
  'open a picture': async (page) => {
    await page.locator('#method').selectOption('milli');
    await drop(page, [
      { name: 'pixels.onnx', bytes: readFileSync(data('pixels.onnx')) },
      { name: 'large.png', bytes: picture },
    ]);
    await page.getByText('12 patches of 3 × 64 × 64').waitFor();
    await explained(page);
  },
  'drag the grid': async (page) => {
    for (const side of ['120', '100', '90']) await page.getByLabel('Stride').fill(side);
    await page.getByText(/\d+ of 352 patches are used/).waitFor();
    for (const shade of ['220', '150', '0']) await page.getByLabel('Background').fill(shade);
  },
  cut: async (page) => {
    await page.getByText('Cut again', { exact: true }).click();
    await page.getByText('352 patches of 3 × 64 × 64').waitFor();
    await explained(page);
  },
  'zoom and move': async (page) => {
    const canvas = page.locator('canvas[data-scale]');
    await canvas.scrollIntoViewIfNeeded();
    const { x, y, width } = (await canvas.boundingBox())!;
    await page.mouse.move(x + width / 2, y + 100);
    for (let i = 0; i < 8; i++) await page.mouse.wheel(0, -200);
    for (let i = 0; i < 20; i++) await page.mouse.move(x + 50 + 10 * i, y + 100 + i);
    await page.mouse.down();
    for (let i = 0; i < 20; i++) await page.mouse.move(x + 250 - 10 * i, y + 120 - i);
    await page.mouse.up();
  },
  'drag the colour': async (page) => {
    for (const v of ['0.1', '0.5', '0.9']) await page.getByLabel('Colour', { exact: true }).fill(v);
  },
  compare: async (page) => {
    await page.getByLabel('Compare with', { exact: true }).selectOption('one_removed');
    await page.locator('canvas[data-scale]').nth(1).waitFor();
    await explained(page);
  },
};

async function round(rate: number): Promise<Record<string, number>> {
  const context = await b.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  await throttle(page, rate);
  const all = await longest(page, steps);
  await context.close();
  return all;
}

test('the longest tasks', () => best('explorer', () => round(1), 50));

test('the longest tasks on a processor four times slower', () =>
  best('explorer on a phone', () => round(PHONE), 200));
