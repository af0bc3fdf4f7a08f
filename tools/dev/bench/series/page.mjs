// Opens a drawn series of 512 x 512 pixels in the built page, scrolls through it, and prints the
// time until the first slice, the memory of the browser's processes beside the raw size, and how
// long frames take. FORM is dcm for a file of each slice, or nii or nii.gz for one volume.
//
//     CHROMIUM=/usr/bin/chromium [FORM=nii] node tools/dev/bench/series/page.mjs [slices [model]]
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { host, openBrowser } from '../../../../wasm/npm/test/browser.mjs';
import { side, slice, volumeHeader, voxels } from './slices.mjs';

const count = Number(process.argv[2] ?? 600);
const models = process.argv.slice(3);
const pictures = process.env.PICTURES;

const folder = mkdtempSync(path.join(tmpdir(), 'series-'));
const { FORM: form = 'dcm' } = process.env;
const name = (i) => path.join(folder, `${i}.${form}`);
const files = Array.from({ length: form === 'dcm' ? count : 1 }, (_, i) => name(i));
if (form === 'dcm') files.forEach((file, i) => writeFileSync(file, slice(i, count)));
else {
  const packed = (data) => (form === 'nii.gz' ? gzipSync(data, { level: 1 }) : data);
  writeFileSync(files[0], packed(volumeHeader(count)));
  for (let i = 0; i < count; i++) appendFileSync(files[0], packed(voxels(i, count)));
}

/** The memory in bytes of the browser's processes, without what they share, and their seconds. */
function used() {
  const read = (at, name) => {
    try {
      return readFileSync(`/proc/${at}/${name}`, 'utf8');
    } catch {
      return ''; // it has ended
    }
  };
  const children = new Map();
  for (const at of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const parent = Number(/^PPid:\s+(\d+)/m.exec(read(at, 'status'))?.[1]);
    children.set(parent, [...(children.get(parent) ?? []), Number(at)]);
  }
  let [memory, seconds] = [0, 0];
  const visit = (at) => {
    memory += 1024 * Number(/^Pss:\s+(\d+)/m.exec(read(at, 'smaps_rollup'))?.[1] ?? 0);
    const [user = 0, system = 0] = read(at, 'stat').split(') ')[1]?.split(' ').slice(11, 13) ?? [];
    seconds += (Number(user) + Number(system)) / 100;
    children.get(at)?.forEach(visit);
  };
  children.get(process.pid)?.forEach(visit);
  return { memory, seconds };
}

const site = await host(fileURLToPath(new URL('../../../../www/dist', import.meta.url)));
const browser = await openBrowser();
try {
  const context = await browser.newContext({
    baseURL: site.url,
    viewport: { width: 1440, height: 900 },
  });
  const page = await context.newPage();
  let requests = 0;
  await page.goto('look/');
  await page.locator('main[data-sealed]').waitFor();
  await page.waitForTimeout(2000);
  page.on('request', () => requests++);
  const before = used();
  const input = page.locator('input[type=file][multiple]').first();
  await page.evaluate(() => {
    new MutationObserver(() => {
      if (document.querySelector('canvas[data-slice]')) globalThis.first ??= performance.now();
    }).observe(document, { subtree: true, childList: true, attributes: true });
    addEventListener('change', () => (globalThis.chosen = performance.now()), true);
  });
  await input.setInputFiles([...models, ...files]);
  await page.locator('canvas[data-slice]').waitFor();
  const seconds = await page.evaluate(() => (globalThis.first - globalThis.chosen) / 1000);
  const first = used();
  let most = first.memory;
  console.log(
    `first slice after ${seconds.toFixed(2)} s, of processors ` +
      `${(first.seconds - before.seconds).toFixed(2)} s`,
  );
  const raw = 2 * count * side * side;
  const watch = setInterval(() => (most = Math.max(most, used().memory)), 500);
  await page.locator('main[aria-busy=false]').waitFor({ timeout: 120_000 });
  const opened = await page.evaluate(() => (performance.now() - globalThis.chosen) / 1000);
  await page.getByRole('slider', { name: 'Slice' }).focus();
  const frames = await page.evaluate(async () => {
    const times = [];
    let last = 0;
    const slider = document.activeElement;
    for (let i = 0; i < 300; i++) {
      slider.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true }));
      const now = await new Promise(requestAnimationFrame);
      if (last) times.push(now - last);
      last = now;
    }
    return times.sort((a, b) => a - b);
  });
  clearInterval(watch);
  const at = (q) => frames[Math.floor(q * (frames.length - 1))].toFixed(1);
  console.log(
    `${count} slices of ${side} x ${side}: ${seconds.toFixed(2)} s until the first slice, ` +
      `${opened.toFixed(1)} s until all is done; memory ${((most - before.memory) / raw).toFixed(2)} ` +
      `times the raw size of ${Math.round(raw / 2 ** 20)} MiB; frames of ${at(0.5)} ms, ` +
      `95 % within ${at(0.95)} ms, at most ${at(1)} ms; ${requests} requests`,
  );
  if (pictures) {
    mkdirSync(pictures, { recursive: true });
    for (const scheme of ['light', 'dark']) {
      for (const [width, height] of [
        [1440, 900],
        [390, 844],
      ]) {
        await page.emulateMedia({ colorScheme: scheme });
        await page.setViewportSize({ width, height });
        await page.waitForTimeout(1500);
        await page.screenshot({ path: path.join(pictures, `viewer-${scheme}-${width}.png`) });
      }
    }
  }
} finally {
  await browser.close();
  site.close();
  rmSync(folder, { recursive: true });
}
