// Long runs: their progress, how fast they are cancelled, and workers that end before their answer.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { chooseMILLI, page } from './explorer';
import { crash, explained, scores, spot } from './page';

/** Waits until a thousand evaluations are done. */
const running = (page: Page) =>
  page.getByText(/^Evaluating coalitions: [\d\u202f]*\d\u202f\d{3} of [\d\u202f]+/).waitFor();

// Uncancelled it would go on for ten seconds and more.
test('a long run shows its progress, and stops at once when cancelled', async () => {
  await chooseMILLI();
  await page.getByLabel('Samples').fill('1500000');
  await page.getByLabel('Samples').press('Enter');
  await running(page);
  // The page answers while the worker computes.
  const { x, y } = await spot(page, 3);
  await page.mouse.move(x, y);
  await page.getByRole('heading', { name: 'Instance 3', exact: true }).waitFor({ timeout: 1000 });
  const before = await scores(page);
  const started = performance.now();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Explain', exact: true }).waitFor();
  const stopped = performance.now() - started;
  // The worker is free again: it answers a prediction.
  await page.mouse.click(x, y);
  await page.getByText('With 1 of 29 instances removed').waitFor();
  const took = performance.now() - started;
  console.log(
    `cancelled after ${Math.round(stopped)} ms, a prediction answered after ${Math.round(took)} ms`,
  );
  expect(stopped).toBeLessThan(500);
  expect(took).toBeLessThan(3000); // with the moves of the mouse, and other processes beside it
  expect(await scores(page)).toEqual(before);
});

test('after a crash of the engine the page says so, keeps everything, and goes on', async () => {
  await chooseMILLI();
  const before = await scores(page);
  const samples = await page.getByLabel('Samples').inputValue();
  await page.getByLabel('Samples').fill('1500000');
  await page.getByLabel('Samples').press('Enter');
  await running(page);
  await crash(page, 'bagscope 0', 'crashed on purpose');
  await expect.poll(() => page.getByRole('alert').innerText()).toContain('The engine failed');
  expect(await page.getByRole('alert').innerText()).toContain('crashed on purpose');
  expect(await scores(page)).toEqual(before);
  await page.getByLabel('Samples').fill(samples);
  await page.getByRole('button', { name: 'Try again' }).click();
  await explained(page);
  expect(await page.getByRole('alert').innerText()).toBe('');
  expect(await scores(page)).toEqual(before);
});

test('after one of several workers ended the page says so and goes on', async () => {
  const before = await scores(page);
  await crash(page, 'bagscope 1', 'killed on purpose');
  await expect
    .poll(() => page.getByRole('alert').innerText())
    .toContain('One of several workers ended');
  expect(await page.getByRole('alert').innerText()).toContain('killed on purpose');
  expect(await scores(page)).toEqual(before);
  await page.getByRole('button', { name: 'Explain', exact: true }).click();
  await explained(page);
  expect(await scores(page)).toEqual(before);
});
