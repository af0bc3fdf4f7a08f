// What the tests do to the page, in its own words.
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Locator,
  type Page,
} from 'playwright-core';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { crc32, deflateSync } from 'node:zlib';
import { decode, type Message } from '../../../wasm/npm/src/message';
import { patience } from '../patience';

export const dist = fileURLToPath(new URL('../../dist', import.meta.url));
export const data = (name: string) => fileURLToPath(new URL(`../data/${name}`, import.meta.url));

const quiet = ['quic', 'extensions', 'background-networking', 'component-update', 'sync'].map(
  (x) => `--disable-${x}`,
);

export async function browser(...flags: string[]): Promise<Browser> {
  const b = await chromium.launch({
    executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
    args: ['--no-sandbox', '--no-first-run', ...quiet, ...flags],
    timeout: patience,
  });
  b.on('context', (context) => context.setDefaultTimeout(patience));
  return b;
}

export interface Visit {
  page: Page;
  /** Addresses of all requests so far, those of workers too. */
  requests: string[];
  /** Errors in the console: exceptions, refused styles, refused connections. */
  complaints: string[];
}

/**
 * Opens the page, in a context of its own or in one that was here before, and waits until its
 * example is explained.
 */
export async function visit(
  b: Browser,
  url: string,
  options: BrowserContextOptions = {},
  known?: BrowserContext,
): Promise<Visit> {
  // Keeping the site takes half a second of each visit; tests of that say so in their options.
  const context = known ?? (await b.newContext({ serviceWorkers: 'block', ...options }));
  await context.addInitScript(numberWorkers);
  const page = await context.newPage();
  const seen: Visit = { page, requests: [], complaints: [] };
  context.on('request', (r) => void seen.requests.push(r.url()));
  page.on('pageerror', (e) => void seen.complaints.push(String(e)));
  page.on('console', (m) => {
    if (m.type() === 'error') seen.complaints.push(m.text());
  });
  await page.goto(url);
  await explained(page);
  await page.locator('main[data-sealed]').waitFor();
  return seen;
}

/**
 * Adds to a worker's name how many of that name came before it: the order of `page.workers()` is
 * chance.
 */
function numberWorkers(): void {
  const counts = new Map<string, number>();
  window.Worker = class extends Worker {
    constructor(url: string | URL, options: WorkerOptions = {}) {
      const name = options.name ?? '';
      const before = counts.get(name) ?? 0;
      counts.set(name, before + 1);
      super(url, { ...options, name: `${name} ${before}` });
    }
    /**
     * What is asked takes as much longer as `delay` says, and is kept in `sent`; tests set both.
     */
    override postMessage(
      message: unknown,
      options?: Transferable[] | StructuredSerializeOptions,
    ): void {
      const { delay, sent } = window as unknown as { delay?: number; sent?: Uint8Array[] };
      if (message instanceof Uint8Array) sent?.push(message.slice());
      const send = () => super.postMessage(message, options as Transferable[]);
      if (delay) setTimeout(send, delay);
      else send();
    }
  };
}

/** Returns what the page sends to its workers while something is done. */
export async function sent(page: Page, during: () => Promise<void>): Promise<Message[]> {
  await page.evaluate(() => void ((window as unknown as { sent: unknown[] }).sent = []));
  await during();
  const messages = await page.evaluate(() => {
    const { sent } = window as unknown as { sent: Uint8Array[] };
    return sent.map((m) => [...m]);
  });
  return messages.map((m) => decode(Uint8Array.from(m)));
}

/**
 * Ends a worker by an error in it: of "bagscope", 0 is the engine's first one and 1 the first that
 * helps.
 */
export async function crash(page: Page, name: string, reason: string): Promise<void> {
  const named = await Promise.all(
    page
      .workers()
      .map(async (worker) => ({ worker, name: await worker.evaluate(() => self.name) })),
  );
  const found = named.find((w) => w.name === name);
  if (!found)
    throw new Error(`no worker "${name}" among ${named.map((w) => `"${w.name}"`).join(', ')}`);
  await found.worker.evaluate((reason) => reportError(new Error(reason)), reason);
}

/** Waits until the page is at rest, with a bag explained and drawn. */
export async function explained(page: Page): Promise<void> {
  await page.locator('main[aria-busy="false"]').waitFor();
  await page.locator('canvas[data-cells*="],["]').waitFor();
  await page.locator('td.number').first().waitFor();
}

/** MILLI has settings to type; the page's usual method has none. */
export async function chooseMILLI(page: Page): Promise<void> {
  await page.getByLabel(/^How to score /).selectOption('milli');
  await page.getByText('MILLI:').waitFor();
  await explained(page);
}

/** A score as the table shows it. */
export function number(text: string): number {
  return Number(text.trim().replaceAll('−', '-'));
}

/** The table's scores: one row per instance, in the order of the bag. */
export async function scores(page: Page): Promise<{ instance: number; scores: number[] }[]> {
  const rows = await page.locator('tbody tr').all();
  const all = await Promise.all(
    rows.map(async (row) => ({
      // Rows have numbers, which count from 1.
      instance: Number(await row.locator('th').innerText()) - 1,
      scores: (await row.locator('td.number').allInnerTexts()).map(number),
    })),
  );
  return all.sort((a, b) => a.instance - b.instance);
}

type Cell = [
  instance: number,
  cls: number | null,
  x: number,
  y: number,
  width: number,
  height: number,
];

export async function cells(page: Page): Promise<Cell[]> {
  return JSON.parse(
    (await page.locator('canvas[data-cells]').getAttribute('data-cells')) ?? '[]',
  ) as Cell[];
}

/**
 * The strongest colour in an instance's cell of a class: the one whose red and blue differ most.
 */
export async function colour(
  page: Page,
  instance: number,
  cls: number,
): Promise<[number, number, number]> {
  const cell = (await cells(page)).find(([i, c]) => i === instance && c === cls);
  if (!cell) throw new Error(`no cell for instance ${instance} and class ${cls}`);
  return page.locator('canvas[data-cells]').evaluate(
    (canvas: HTMLCanvasElement, [x, y, width, height]) => {
      const { data } = canvas.getContext('2d')!.getImageData(x!, y!, width!, height!);
      let best: [number, number, number] = [0, 0, 0];
      for (let i = 0; i < data.length; i += 4) {
        const [r, g, b] = [data[i]!, data[i + 1]!, data[i + 2]!];
        if (Math.abs(r - b) > Math.abs(best[0] - best[2])) best = [r, g, b];
      }
      return best;
    },
    cell.slice(2) as number[],
  );
}

/** Where on the screen the middle of an instance's own cell lies. */
export async function spot(page: Page, instance: number): Promise<{ x: number; y: number }> {
  const canvas = page.locator('canvas[data-cells]');
  await canvas.scrollIntoViewIfNeeded();
  const all = await cells(page);
  const cell =
    all.find(([i, c]) => i === instance && c === null) ?? all.find(([i]) => i === instance)!;
  // A bag that is taller than its frame scrolls in it.
  const zoom = await canvas.evaluate(
    (c: HTMLCanvasElement, middle) => {
      const { width } = c.getBoundingClientRect();
      const frame = c.closest('.drawn')!;
      frame.scrollTop += c.getBoundingClientRect().top - frame.getBoundingClientRect().top;
      frame.scrollTop += (middle * width) / c.width - frame.clientHeight / 2;
      return width / c.width;
    },
    cell[3] + cell[5] / 2,
  );
  const box = (await canvas.boundingBox())!;
  return { x: box.x + (cell[2] + cell[4] / 2) * zoom, y: box.y + (cell[3] + cell[5] / 2) * zoom };
}

/** Clicks an instance, which selects it: its card says so. */
export async function pick(page: Page, instance: number): Promise<void> {
  const { x, y } = await spot(page, instance);
  await page.mouse.click(x, y);
  const title = new RegExp(`^(Instance|Digit|Patch|Slice) ${instance + 1}( \\(.*\\))?$`);
  await page.getByRole('heading', { name: title }).waitFor();
}

/** Opens the open files, which a narrow page folds. */
export async function openFiles(page: Page): Promise<void> {
  const files = page.locator('button.fold[aria-expanded="false"]');
  if (await files.isVisible()) await files.click();
}

/** Opens a menu of the line of tools, unless it is open. */
export async function openMenu(page: Page, name: string): Promise<void> {
  if (name === 'Examples') await openFiles(page);
  const menu = page.locator('details.menu:not([open]) > summary', { hasText: name });
  if ((await menu.count()) > 0) await menu.click();
}

/** Opens all that is folded. */
export async function openAll(page: Page): Promise<void> {
  await openFiles(page);
  // On a phone what is open covers other menus.
  for (const summary of await page.locator('summary').all())
    await summary.evaluate((e: HTMLElement) => e.click());
}

/** Collects what the page says to screen readers from now on. */
export async function heard(page: Page): Promise<() => Promise<string[]>> {
  const all = await page.evaluateHandle(() => {
    const status = [...document.querySelectorAll('[role=status]')].at(-1)!;
    const said: string[] = [];
    new MutationObserver(() => void said.push(status.textContent)).observe(status, {
      subtree: true,
      childList: true,
      characterData: true,
    });
    return said;
  });
  return () => all.jsonValue();
}

/** The text of the prediction, such as "an 8 and a 9 > 99.9 %". */
export function prediction(page: Page): Locator {
  return page.getByRole('list', { name: 'Prediction for each class' });
}

/** Drops files from the disk on the page, as a hand does. */
export async function drop(page: Page, files: { name: string; bytes: Buffer }[]): Promise<void> {
  const transfer = await page.evaluateHandle(
    (list) => {
      const t = new DataTransfer();
      for (const { name, base64 } of list) {
        t.items.add(new File([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], name));
      }
      return t;
    },
    files.map((f) => ({ name: f.name, base64: f.bytes.toString('base64') })),
  );
  await page.dispatchEvent('main', 'drop', { dataTransfer: transfer });
}

/** The example's model as a file of the reader's own. */
export const digits = () => ({
  name: 'own.onnx',
  bytes: readFileSync(data('../../../examples/digits/model.onnx')),
});

/** A grey PNG by hand: no encoder is among the dependencies. */
export function grey(
  width: number,
  height: number,
  shade: (x: number, y: number) => number,
): Buffer {
  const chunk = (type: string, body: Buffer) => {
    const named = Buffer.concat([Buffer.from(type), body]);
    const out = Buffer.alloc(named.length + 8);
    out.writeUInt32BE(body.length, 0);
    named.copy(out, 4);
    out.writeUInt32BE(crc32(named), named.length + 4);
    return out;
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.writeUInt8(8, 8); // bits; colour type 0 is grey
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) rows[y * (width + 1) + 1 + x] = shade(x, y);
  }
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(rows, { level: 1 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** A zip archive of files as they are, which is what .npz is. */
export function stored(files: [name: string, bytes: Buffer][]): Buffer {
  const [bodies, entries]: [Buffer[], Buffer[]] = [[], []];
  let at = 0;
  for (const [name, bytes] of files) {
    const about = Buffer.alloc(26); // version, flags, method, time, date, sum, sizes, length of the name, of extras
    about.writeUInt16LE(20, 0);
    about.writeUInt32LE(crc32(bytes), 10);
    about.writeUInt32LE(bytes.length, 14);
    about.writeUInt32LE(bytes.length, 18);
    about.writeUInt16LE(name.length, 22);
    const body = Buffer.concat([Buffer.from('PK\x03\x04'), about, Buffer.from(name), bytes]);
    const rest = Buffer.alloc(14); // comment, disk, attributes, place
    rest.writeUInt32LE(at, 10);
    entries.push(
      Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), about, rest, Buffer.from(name)]),
    );
    bodies.push(body);
    at += body.length;
  }
  const entry = Buffer.concat(entries);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(files.length, 4);
  end.writeUInt16LE(files.length, 6);
  end.writeUInt32LE(entry.length, 8);
  end.writeUInt32LE(at, 12);
  return Buffer.concat([...bodies, entry, Buffer.from('PK\x05\x06'), end]);
}
