// Long runs: their progress, their cancellation, and workers that end before their answer.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { kinds } from '../../../wasm/npm/src/wire';
import { page } from './explorer';
import { chooseMILLI, crash, explained, pick, scores } from './page';
import { long } from '../patience';

/** Waits until a thousand evaluations are done. All coalitions are drawn before the first. */
const running = (page: Page) =>
  page
    .getByText(/^Evaluating coalitions: [\d\u202f]*\d\u202f\d{3} of [\d\u202f]+/)
    .waitFor({ timeout: long });

/** Counts the progress messages of each request that the page's workers send from now on. */
async function countProgress(page: Page): Promise<() => Promise<Map<string, number>>> {
  const workers = page.workers();
  const kind = 1 + kinds.findIndex(([name]) => name === 'progress');
  const install = (kind: number) => {
    const scope = self as unknown as {
      progressed: Record<number, number>;
      postMessage(message: unknown, transfer?: unknown): void;
    };
    const post = scope.postMessage.bind(self);
    scope.progressed = {};
    scope.postMessage = (message, transfer) => {
      // A message begins with the version, its kind, and the request in four bytes.
      if (message instanceof Uint8Array && message[1] === kind) {
        const request = new DataView(message.buffer, message.byteOffset).getUint32(2, true);
        scope.progressed[request] = (scope.progressed[request] ?? 0) + 1;
      }
      post(message, transfer);
    };
  };
  await Promise.all(workers.map((worker) => worker.evaluate(install, kind)));
  const counted = () => (self as unknown as { progressed: Record<number, number> }).progressed;
  return async () => {
    const counts = await Promise.all(workers.map((worker) => worker.evaluate(counted)));
    return new Map(
      counts.flatMap((of, n) => Object.entries(of).map(([id, count]) => [`${n} ${id}`, count])),
    );
  };
}

// Uncancelled it would go on for several seconds of processor time, and the next explanation would
// wait until it ends.
test('a long run shows its progress, and stops when cancelled', async () => {
  await chooseMILLI(page);
  const samples = await page.getByLabel('Samples').inputValue();
  const progress = await countProgress(page);
  await page.getByLabel('Samples').fill('4000000');
  await page.getByLabel('Samples').press('Enter');
  await running(page);
  // The page answers while the worker computes.
  await pick(page, 3);
  const before = await scores(page);
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByRole('button', { name: 'Explain', exact: true }).waitFor();
  const until = await progress();
  expect(until.size).toBeGreaterThan(0);
  // The worker is free: it answers a prediction and an explanation.
  await pick(page, 3);
  await page.keyboard.press('Delete');
  await page.getByText('With 1 of 29 digits removed').waitFor();
  expect(await scores(page)).toEqual(before);
  await page.getByRole('button', { name: 'Restore all' }).click();
  await page.getByLabel('Samples').fill(samples);
  await page.getByLabel('Samples').press('Enter');
  await explained(page);
  expect(await scores(page)).toEqual(before);
  // A cancelled run sends nothing more; one message may have been on its way.
  const after = await progress();
  for (const [request, count] of until) expect(after.get(request)! - count).toBeLessThan(2);
});

test('after a crash of the engine the page says so, keeps everything, and goes on', async () => {
  await chooseMILLI(page);
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
