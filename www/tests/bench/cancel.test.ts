// How soon an engine is free after a long explanation was cancelled: in Node by the time of the
// processor, in Chromium by the clock.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Engine, LoadOptions } from 'bagscope';
import { expect, test } from 'vitest';
import { browser } from '../browser/page';
import { host } from '../browser/host';
import { measured } from './measured';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const { load } = (await import(`${root}wasm/npm/dist/node.js`)) as {
  load(options?: LoadOptions): Promise<Engine>;
};
const tiny = (name: string) => readFileSync(`${root}wasm/parity/testdata/tiny.${name}`);
const { wideBag, lengthy } = (await import(`${root}wasm/npm/test/support.mjs`)) as {
  wideBag(): Uint8Array;
  lengthy: { method: 'all'; samples: number };
};

const middle = (times: number[]) => times.sort((a, z) => a - z)[times.length >> 1]!;

/** Milliseconds of the processor that this process has used. */
const spent = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

test.each([
  ['one worker', { workers: 1 }, {}, 50],
  ['both of two workers', { workers: 2 }, { plain: true }, 100], // 50 ms each
  ["the caller's thread", { worker: false }, {}, 50],
] as const)('in Node: %s', async (name, options, opening, bar) => {
  const engine = await load(options);
  const model = await engine.open(tiny('onnx'), opening);
  const bag = await engine.bag(wideBag(), { name: 'wide.csv' });
  const one = await engine.bag(tiny('csv'), { name: 'tiny.csv', index: 0 });
  const times: number[] = [];
  for (let round = 0; round < 7; round++) {
    const controller = new AbortController();
    let from = 0;
    const running = model.explain(bag, {
      ...lengthy,
      signal: controller.signal,
      onProgress(done, total) {
        if (from > 0 || done * 100 < round * total) return;
        from = spent();
        controller.abort();
      },
    });
    await expect(running).rejects.toMatchObject({ kind: 'cancelled' });
    // The next explanation waits in the queue until the cancelled one has ended.
    await model.explain(one, { method: 'single' });
    times.push(spent() - from);
  }
  measured(`cancel in Node, ${name}, ms`, middle(times), bar);
  engine.close();
});

test('in Chromium', async () => {
  const [b, site] = await Promise.all([browser(), host(root)]);
  const page = await b.newPage();
  await page.goto(`${site.url}wasm/npm/test/page.html`);
  await page.waitForFunction(() => 'bagscope' in window);
  const times: number[] = [];
  for (let round = 0; round < 7; round++)
    times.push(
      await page.evaluate(
        async ([wide, lengthy]) => {
          const { bagscope } = window as unknown as {
            bagscope: { cancel(wide: string, lengthy: object): Promise<{ free: number }> };
          };
          return (await bagscope.cancel(wide, lengthy)).free;
        },
        [Buffer.from(wideBag()).toString(), lengthy] as const,
      ),
    );
  measured('cancel in Chromium, ms', middle(times), 150);
  await b.close();
  await site.close();
});
