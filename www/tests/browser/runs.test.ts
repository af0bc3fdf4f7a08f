// Long runs: their progress, how fast they are cancelled, and workers that end before their answer.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { kinds } from '../../../wasm/npm/src/wire';
import { chooseMILLI, page } from './explorer';
import { crash, explained, scores, spot } from './page';

/** Waits until a thousand evaluations are done. All coalitions are drawn before the first. */
const running = (page: Page) =>
  page
    .getByText(/^Evaluating coalitions: [\d\u202f]*\d\u202f\d{3} of [\d\u202f]+/)
    .waitFor({ timeout: 60_000 });

/** Counts the progress messages that the page's workers send from now on. */
async function countProgress(page: Page): Promise<() => Promise<number>> {
  const workers = page.workers();
  const kind = 1 + kinds.findIndex(([name]) => name === 'progress');
  const install = (kind: number) => {
    const scope = self as unknown as {
      progressed: number;
      postMessage(message: unknown, transfer?: unknown): void;
    };
    const post = scope.postMessage.bind(self);
    scope.progressed = 0;
    scope.postMessage = (message, transfer) => {
      // The second byte of a message is its kind.
      if (message instanceof Uint8Array && message[1] === kind) scope.progressed++;
      post(message, transfer);
    };
  };
  await Promise.all(workers.map((worker) => worker.evaluate(install, kind)));
  const counted = () => (self as unknown as { progressed: number }).progressed;
  return async () => {
    const counts = await Promise.all(workers.map((worker) => worker.evaluate(counted)));
    return counts.reduce((sum, n) => sum + n, 0);
  };
}

// Uncancelled it would go on for several seconds of processor time. Stopping is measured by the
// messages of the workers, so that other processes of the machine do not matter.
test('a long run shows its progress, and stops at once when cancelled', async () => {
  await chooseMILLI();
  const progress = await countProgress(page);
  await page.getByLabel('Samples').fill('4000000');
  await page.getByLabel('Samples').press('Enter');
  await running(page);
  // The page answers while the worker computes.
  const { x, y } = await spot(page, 3);
  await page.mouse.move(x, y);
  await page.getByRole('heading', { name: 'Instance 3', exact: true }).waitFor({ timeout: 1000 });
  const before = await scores(page);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Explain', exact: true }).waitFor();
  const until = await progress();
  expect(until).toBeGreaterThan(2);
  // A cancelled run sends nothing more; one message may have been on its way.
  await page.waitForTimeout(2000);
  const after = (await progress()) - until;
  console.log(`${until} progress messages before the run stopped, ${after} afterwards`);
  expect(after).toBeLessThan(2);
  // The worker is free: it answers a prediction.
  await page.mouse.click(x, y);
  await page.getByText('With 1 of 29 instances removed').waitFor();
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
