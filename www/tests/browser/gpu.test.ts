// The explorer on a graphics processor: Chromium has one that is software, SwiftShader.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { violations } from './article';
import { browser, data, drop, openMenu, scores, visit } from './page';
import { site } from './site';
import { long } from '../patience';

const file = (name: string) => ({ name, bytes: readFileSync(data(name)) });
const slide = () => ({
  name: 'slide.tif',
  bytes: readFileSync(join(data('../../../core/slide/testdata'), 'none_big_endian.tif')),
});

let software: Browser;
beforeAll(async () => {
  software = await browser(
    '--enable-unsafe-webgpu',
    '--use-webgpu-adapter=swiftshader',
    '--enable-features=Vulkan',
  );
});
afterAll(() => software?.close());

const form = (page: Page) => page.getByRole('region', { name: 'Patches of the slide' });
const programs = (requests: readonly string[]) =>
  requests.filter((url) => /bagscope-gpu-.*\.wasm$/.test(url)).length;

/** Drops a slide with its two models, and lays patches of 16 pixels over all of it. */
async function lay(page: Page): Promise<void> {
  await drop(page, [file('attention4.onnx'), file('encoder4.onnx'), slide()]);
  await form(page).getByText('encoder4.onnx').waitFor();
  await form(page).getByLabel('Patches without tissue, too').check();
  await form(page).getByLabel('Microns a pixel').fill('0.5');
  await form(page).getByLabel('Microns a pixel').press('Tab');
  await form(page).getByText('(whole slide)').waitFor();
}

/** Encodes all patches, and returns the scores. */
async function encode(page: Page) {
  await form(page).getByRole('button', { name: 'Encode', exact: true }).click();
  await form(page)
    .getByText(/All \d+ patches are encoded/)
    .waitFor({ timeout: long });
  await page.locator('[data-map]').waitFor();
  return scores(page);
}

/** Makes the software adapter look like a graphics processor. */
const pretend = () =>
  Object.defineProperty(GPUAdapterInfo.prototype, 'isFallbackAdapter', { get: () => false });

/** Opens the page with a device, and runs a script in its workers before their own. */
async function visitWith(script: string) {
  const context = await software.newContext({ serviceWorkers: 'block' });
  await context.route('**/assets/worker-*.js', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: `{${script}}\n${await response.text()}` });
  });
  return visit(software, `${site.look}?device=gpu`, {}, context);
}

/** The scores of the CPU. */
let want: Awaited<ReturnType<typeof scores>>;

test('patches are encoded on the device, whose name is in the notes, with the scores of the CPU', async () => {
  const cpu = await visit(software, site.look);
  await lay(cpu.page);
  want = await encode(cpu.page);
  // Software is never offered, and its program is not fetched.
  expect(await form(cpu.page).getByText('graphics processor').count()).toBe(0);
  expect(programs(cpu.requests)).toBe(0);
  await cpu.page.context().close();

  const gpu = await visit(software, `${site.look}?device=gpu`);
  expect(programs(gpu.requests)).toBeGreaterThan(0);
  const before = gpu.requests.length;
  await lay(gpu.page);
  const got = await encode(gpu.page);
  const note =
    /^WebGPU adapter .*swiftshader.* encoded the pictures: it computed \d+ of \d+ steps/i;
  await form(gpu.page).getByText(note).waitFor();
  expect(await gpu.page.getByText(note).count()).toBeGreaterThan(1); // beside the picture, too
  expect(got.map((row) => row.instance)).toEqual(want.map((row) => row.instance));
  const largest = Math.max(...want.flatMap((row) => row.scores.map(Math.abs)));
  for (const [i, row] of want.entries())
    for (const [c, score] of row.scores.entries())
      expect(Math.abs(got[i]!.scores[c]! - score)).toBeLessThanOrEqual(1e-3 * largest); // as shown
  expect(gpu.requests.slice(before).filter((url) => !/^(blob|data):/.test(url))).toEqual([]);
  expect(await violations(gpu.page)).toEqual([]);
  await gpu.page.context().close();
});

test('a graphics processor is offered by a link, which opens the page with its program', async () => {
  const { page, requests } = await visit(software, site.look);
  await page.context().addInitScript(pretend);
  await page.evaluate(pretend);
  await lay(page);
  const link = form(page).getByRole('link', { name: 'Encode on the graphics processor' });
  await link.waitFor();
  await link.focus();
  await page.keyboard.press('Enter');
  await page.waitForURL('**/look/?device=auto*');
  await page.locator('main[data-sealed]').waitFor();
  expect(programs(requests)).toBeGreaterThan(0);
  // An empty page keeps the choice.
  await openMenu(page, 'Examples');
  await page.getByRole('button', { name: 'Start empty' }).click();
  expect(new URL(page.url()).searchParams.get('device')).toBe('auto');
  await lay(page);
  await form(page).getByText('The graphics processor encodes where').waitFor();
  await form(page).getByRole('link', { name: 'Encode on the CPU alone' }).click();
  await page.waitForURL((url) => !url.searchParams.has('device'));
  await page.context().close();
});

test('a browser without a graphics processor computes on the CPU, and says so', async () => {
  const { page, requests } = await visit(software, `${site.look}?device=auto`);
  expect(programs(requests)).toBe(0);
  await lay(page);
  await form(page).getByText('This browser has no graphics processor for pages.').waitFor();
  await encode(page);
  await page.context().close();
});

test('a device that computes other features than the CPU is not used, and the page says so', async () => {
  const { page } = await visitWith(`
    const make = GPUDevice.prototype.createShaderModule;
    GPUDevice.prototype.createShaderModule = function (d) {
      return make.call(this, { ...d, code: d.code.replaceAll('v += x[', 'v += 1.5 * x[') });
    };`);
  await lay(page);
  const got = await encode(page);
  await form(page)
    .getByText(/was lost \(the CPU computes other features than it\): the CPU computed/)
    .waitFor();
  expect(got).toEqual(want);
  await page.context().close();
});

test('after the loss of the device the CPU goes on, and the page says so', async () => {
  const { page } = await visitWith(`
    const open = GPUAdapter.prototype.requestDevice;
    GPUAdapter.prototype.requestDevice = async function (...args) {
      return (self.opened = await open.apply(this, args));
    };`);
  await lay(page);
  await form(page)
    .getByText(/encoded the pictures/)
    .waitFor({ timeout: long });
  await Promise.all(
    page.workers().map((worker) =>
      worker.evaluate(async () => {
        const { opened } = self as unknown as { opened?: GPUDevice };
        opened?.destroy();
        await opened?.lost;
      }),
    ),
  );
  await encode(page);
  await form(page)
    .getByText(/was lost \(.+\): the CPU computed what it had not/)
    .waitFor();
  await page.context().close();
});

test('the program is kept for use without a network by those alone who opened it', async () => {
  const context = await software.newContext({ serviceWorkers: 'allow' });
  const kept = async (address: string) => {
    const { page } = await visit(software, address, {}, context);
    const names = await page.evaluate(async () => {
      const stores = await Promise.all((await caches.keys()).map((name) => caches.open(name)));
      return (await Promise.all(stores.map((s) => s.keys()))).flat().map((r) => r.url);
    });
    await page.close();
    return [names.some((url) => /\/bagscope-[^/]*\.wasm$/.test(url)), programs(names)];
  };
  expect(await kept(site.look)).toEqual([true, 0]);
  expect(await kept(`${site.look}?device=gpu`)).toEqual([true, 1]);
  await context.close();
});
