// The page answers at all times: no task of its thread takes longer than 50 ms of the processor.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { b, site } from './site';
import { data, drop, explained, grey, visit } from './page';

interface Event {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  /** Time of the processor that the task took, in microseconds: what other programs do meanwhile is none of it. */
  tdur?: number;
  args?: { name?: string };
}

test('no task takes longer than 50 ms of the processor, unthrottled, while a page explains, zooms and lays a grid', async () => {
  const { page } = await visit(b, site.look);
  await b.startTracing(page, {
    categories: ['toplevel', 'disabled-by-default-devtools.timeline', '__metadata'],
  });
  await page.getByRole('button', { name: 'Next bag' }).click();
  await page.getByText('2 of 6').waitFor();
  await explained(page);
  const picture = grey(2000, 1500, (x, y) => (x * 7 + y * 3) % 256);
  await drop(page, [
    { name: 'pixels.onnx', bytes: readFileSync(data('pixels.onnx')) },
    { name: 'large.png', bytes: picture },
  ]);
  await page.getByText('12 instances of 3 × 64 × 64').waitFor();
  await page.getByLabel('Stride').fill('90');
  await page.getByText(/\d+ of 352 patches stay/).waitFor();
  await page.getByRole('button', { name: 'Cut again' }).click();
  await page.getByText('352 instances of 3 × 64 × 64').waitFor();
  await explained(page);
  const canvas = page.locator('canvas[data-scale]');
  await canvas.scrollIntoViewIfNeeded();
  const { x, y, width } = (await canvas.boundingBox())!;
  await page.mouse.move(x + width / 2, y + 100);
  for (let i = 0; i < 8; i++) await page.mouse.wheel(0, -200);
  for (let i = 0; i < 20; i++) await page.mouse.move(x + 50 + 10 * i, y + 100 + i);
  const events = (JSON.parse((await b.stopTracing()).toString()) as { traceEvents: Event[] }).traceEvents;
  const threads = new Set(
    events
      .filter((e) => e.name === 'thread_name' && e.args?.name === 'CrRendererMain')
      .map((e) => `${e.pid} ${e.tid}`),
  );
  const tasks = events.filter(
    (e) => /RunTask$/.test(e.name) && e.ph === 'X' && threads.has(`${e.pid} ${e.tid}`),
  );
  const longest = tasks.map((e) => (e.tdur ?? 0) / 1000).sort((a, z) => z - a);
  console.log(
    `longest of ${tasks.length} tasks: ${longest
      .slice(0, 5)
      .map((t) => t.toFixed(1))
      .join(', ')} ms`,
  );
  expect(tasks.length).toBeGreaterThan(100);
  expect(longest[0]).toBeLessThan(50);
  await page.context().close();
});
