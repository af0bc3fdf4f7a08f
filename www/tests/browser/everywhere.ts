// What the tests for all browsers do to a page through a driver.
import { PNG } from 'pngjs';
import { expect } from 'vitest';
import { long } from '../patience';
import type { Driver } from './drivers/driver';
import { chromium, firefox } from './drivers/playwright';
import { webkit } from './drivers/webkit';

const { FIREFOX = '', WEBKIT = '' } = process.env;
/** The browsers; FIREFOX and WEBKIT are what tools/dev/need prints for them. */
export const browsers = [
  { name: 'Chromium', found: true, start: chromium },
  { name: 'Firefox', found: FIREFOX !== '', start: () => firefox(FIREFOX) },
  { name: 'WebKit', found: WEBKIT !== '', start: () => webkit(WEBKIT) },
];

/** WebKit draws a slide in a minute on a busy machine. */
export const patience = { timeout: long, interval: 100 };

/** Waits until a function in the page returns a true value. */
export async function until<A extends unknown[]>(
  d: Driver,
  f: (...args: A) => unknown,
  ...args: A
): Promise<void> {
  // A page that is being left cannot run anything.
  const holds = () => d.run(f, ...args).then(Boolean, (error: Error) => error.message);
  await expect.poll(holds, patience).toBe(true);
}

/** Waits until a selector finds an element whose text, or value, contains a text. */
export function shows(d: Driver, selector: string, text = ''): Promise<void> {
  return until(
    d,
    (selector: string, text: string) =>
      [...document.querySelectorAll<HTMLElement>(selector)].some((e) =>
        `${e.innerText}${(e as HTMLInputElement).value ?? ''}`.replace(/\s+/g, ' ').includes(text),
      ),
    selector,
    text,
  );
}

/** Presses the first element that a selector finds, with a text if one is given. */
export async function press(d: Driver, selector: string, text = ''): Promise<void> {
  const { x, y, width, height } = await placeOf(d, selector, text);
  await d.press(x + width / 2, y + height / 2);
}

/**
 * Scrolls an element to the middle of the window and waits until it stays there: parts above that are
 * laid out late move it. Returns where it is in the window.
 */
async function placeOf(d: Driver, selector: string, text = '') {
  const place = await d.run(
    async (selector: string, text: string) => {
      const found = [...document.querySelectorAll<HTMLElement>(selector)].find((e) =>
        e.textContent!.includes(text),
      );
      if (!found) return null;
      for (let tries = 0, before = ''; ; tries++) {
        found.scrollIntoView({ block: 'center', behavior: 'instant' });
        // Two frames: the second one begins after the first is on the screen.
        for (let i = 0; i < 2; i++) await new Promise((done) => requestAnimationFrame(done));
        const { left: x, top: y, width, height } = found.getBoundingClientRect();
        const now = `${x} ${y}`;
        const seen = y + height > 0 && y < innerHeight;
        if ((seen && now === before) || tries === 50) return { x, y, width, height };
        before = now;
      }
    },
    selector,
    text,
  );
  if (!place) throw new Error(`nothing is found: ${selector} with "${text}"`);
  return place;
}

/** Waits until the explorer is at rest, with a bag explained and drawn. */
export function explained(d: Driver): Promise<void> {
  return until(
    d,
    () =>
      document.querySelector('main[aria-busy="false"][data-sealed]') &&
      document.querySelector('canvas[data-cells*="],["]') &&
      document.querySelector('td.number'),
  );
}

/** The scores of the explorer's table, in the order of instances. */
export function scores(d: Driver): Promise<number[][]> {
  return d.run(() =>
    [...document.querySelectorAll('tbody tr')]
      .map((row) => ({
        instance: Number(row.querySelector('th')!.textContent),
        scores: [...row.querySelectorAll('td.number')].map((cell) =>
          Number(cell.textContent!.trim().replaceAll('−', '-')),
        ),
      }))
      .sort((a, b) => a.instance - b.instance)
      .map((row) => row.scores),
  );
}

/** The colours of a picture as means of blocks: red, green and blue of each, 0 to 255. */
export type Blocks = number[];

/** The cells of the explorer's canvas, each as 3 × 3 blocks, without the lines around them. */
export function cellBlocks(d: Driver): Promise<Blocks> {
  return d.run(() => {
    const canvas = document.querySelector<HTMLCanvasElement>('canvas[data-cells]')!;
    const cells = JSON.parse(canvas.dataset.cells!) as [number, number | null, ...number[]][];
    const copy = document.createElement('canvas').getContext('2d', { willReadFrequently: true })!;
    copy.canvas.width = canvas.width;
    copy.canvas.height = canvas.height;
    copy.drawImage(canvas, 0, 0);
    const blocks: number[] = [];
    for (const [, , x, y, width, height] of cells as unknown as number[][])
      for (let block = 0; block < 9; block++) {
        const [w, h] = [Math.floor((width! - 6) / 3), Math.floor((height! - 6) / 3)];
        const left = Math.round(x!) + 3 + w * (block % 3);
        const top = Math.round(y!) + 3 + h * Math.floor(block / 3);
        const { data } = copy.getImageData(left, top, Math.max(w, 1), Math.max(h, 1));
        for (let c = 0; c < 3; c++) {
          let sum = 0;
          for (let i = c; i < data.length; i += 4) sum += data[i]!;
          blocks.push((4 * sum) / data.length);
        }
      }
    return blocks;
  });
}

/**
 * The pixels of an element on the screen, unfolded and scrolled to the middle of the window: all of
 * them, or a square about its middle.
 */
export async function pixels(d: Driver, selector: string, side = Infinity): Promise<PNG> {
  await d.run((selector: string) => {
    const e = document.querySelector(selector)!;
    for (let fold = e.closest('details'); fold; fold = fold.parentElement!.closest('details'))
      fold.open = true;
  }, selector);
  const { x, y, width, height } = await placeOf(d, selector);
  const all = PNG.sync.read(await d.screenshot());
  const [left, right] = within(x, x + width, side, all.width);
  const [top, bottom] = within(y, y + height, side, all.height);
  const part = new PNG({ width: right - left, height: bottom - top });
  PNG.bitblt(all, part, left, top, part.width, part.height, 0, 0);
  return part;
}

/** The whole pixels of a screen between two places, at most `side` of them about their middle. */
function within(from: number, to: number, side: number, screen: number): [number, number] {
  const cut = Math.max(0, to - from - side) / 2;
  return [Math.max(0, Math.ceil(from + cut)), Math.min(screen, Math.floor(to - cut))];
}

/** A picture as n × n blocks, without a margin: the corners of tiles are round. */
export function blocks(picture: PNG, n: number, margin = 4): Blocks {
  const edge = (side: number, i: number) => margin + Math.round(((side - 2 * margin) * i) / n);
  const out: number[] = [];
  for (let row = 0; row < n; row++)
    for (let column = 0; column < n; column++) {
      const sum = [0, 0, 0];
      let count = 0;
      for (let y = edge(picture.height, row); y < edge(picture.height, row + 1); y++)
        for (let x = edge(picture.width, column); x < edge(picture.width, column + 1); x++) {
          for (let c = 0; c < 3; c++) sum[c]! += picture.data[4 * (y * picture.width + x) + c]!;
          count++;
        }
      out.push(...sum.map((s) => s / count));
    }
  return out;
}

/** The greatest difference between two pictures' blocks. */
export function difference(one: Blocks, other: Blocks): number {
  if (one.length !== other.length) return Infinity;
  return Math.max(...one.map((value, i) => Math.abs(value - other[i]!)));
}
