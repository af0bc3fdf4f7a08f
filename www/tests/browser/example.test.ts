// The bundled example: opened, explained and drawn by itself; then touched, pointed at, saved and
// linked to.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { methodTitles } from 'bagscope';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { host, type Host } from './host';
import {
  browser,
  cells,
  colour,
  data,
  dist,
  drop,
  explained,
  number,
  openMenu,
  pick,
  prediction,
  scores,
  spot,
  visit,
  type Visit,
} from './page';

let b: Browser;
let site: Host;
let seen: Visit;

beforeAll(async () => {
  [b, site] = await Promise.all([browser(), host(dist)]);
  seen = await visit(b, site.look);
});
afterAll(async () => {
  await b?.close();
  await site?.close();
});

test('says what the model says', async () => {
  await seen.page.getByRole('heading', { name: 'The model predicts “an 8 and a 9”' }).waitFor();
  expect(await prediction(seen.page).innerText()).toMatch(
    /an 8 and a 9\s+(> 99\.9|\d\d\.\d|\d\d) %/,
  );
});

test('draws blue where the table says supports and orange where it says refutes', async () => {
  const rows = await scores(seen.page);
  expect(rows).toHaveLength(29);
  // One scale for all classes: the largest score of them all has the strongest colour.
  const all = rows.flatMap((r) =>
    r.scores.map((score, cls) => ({ instance: r.instance, cls, score })),
  );
  const most = all.reduce((a, s) => (s.score > a.score ? s : a));
  const least = all.reduce((a, s) => (s.score < a.score ? s : a));
  expect(most.score).toBeGreaterThan(0.1);
  expect(least.score).toBeLessThan(-0.1);
  const blue = await colour(seen.page, most.instance, most.cls);
  expect(blue[2], `rgb(${blue}) of instance ${most.instance}`).toBeGreaterThan(
    Math.max(blue[0], blue[1]) + 40,
  );
  const orange = await colour(seen.page, least.instance, least.cls);
  expect(orange[0], `rgb(${orange}) of instance ${least.instance}`).toBeGreaterThan(
    Math.max(orange[1], orange[2]) + 40,
  );
});

test('the instances that support “an 8 and a 9” most are 8s and 9s', async () => {
  const { page } = seen;
  const labels: string[] = [];
  const rows = (await scores(page)).sort((a, z) => z.scores[3]! - a.scores[3]!);
  for (const { instance } of rows.slice(0, 4)) {
    await pick(page, instance);
    labels.push((await page.getByText(/Annotated: \d/).innerText()).match(/Annotated: (\d)/)![1]!);
  }
  expect(labels.sort()).toEqual(['8', '8', '9', '9']);
});

test(
  'a click on an instance lights it in picture and table and shows its numbers in every ' + 'class',
  async () => {
    const { page } = seen;
    await pick(page, 5);
    const numbers = await page
      .getByRole('list', { name: 'Scores of digit 6' })
      .locator('li > span.number')
      .allInnerTexts();
    const row = (await scores(page)).find((r) => r.instance === 5)!;
    expect(numbers.map((t) => number(t.trim().split(/\s/)[0]!))).toEqual(row.scores);
    expect(await page.locator('tr.lit th').innerText()).toBe('6');
    expect(await page.locator('.lit').count()).toBeGreaterThanOrEqual(5); // the tile, four strips, and the row
  },
);

test('a click selects, the pointer on its way to the card does not, and Remove hits what was clicked', async () => {
  // Tall enough for the card and the whole picture.
  const { page } = await visit(b, site.look, { viewport: { width: 1440, height: 1400 } });
  const card = page.locator('section[aria-labelledby="instance-title"]');
  const passed = new Set<string>();
  for (const instance of [1, 16, 28]) {
    await pick(page, instance);
    const from = await spot(page, instance);
    const button = (await card.getByRole('button', { name: 'Remove', exact: true }).boundingBox())!;
    const to = { x: button.x + button.width / 2, y: button.y + button.height / 2 };
    for (let step = 1; step <= 25; step++) {
      const part = step / 25;
      await page.mouse.move(from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part);
      expect(
        await card.getByRole('heading', { name: `Digit ${instance + 1}`, exact: true }).count(),
      ).toBe(1);
      passed.add(await page.locator('.status').innerText());
    }
    expect(await page.locator('main').innerText()).toContain('For all 29 digits');
    await page.mouse.click(to.x, to.y);
    await page.getByText('With 1 of 29 digits removed').waitFor();
    expect(page.url()).toMatch(new RegExp(`out=${instance}(&|$)`));
    await card.getByRole('button', { name: 'Restore', exact: true }).click();
    await page.getByText('For all 29 digits').waitFor();
  }
  // Other instances were under the pointer, and were named.
  expect(passed.size).toBeGreaterThan(2);
  await page.context().close();
});

test('neither a second click nor Enter removes; x and Delete do, but not in a field', async () => {
  const { page } = seen;
  const whole = page.getByText('For all 29 digits');
  await pick(page, 4);
  await pick(page, 4);
  await page.keyboard.press('Enter');
  await page.keyboard.press('Space');
  await page.getByLabel(/^How to score /).focus();
  await page.keyboard.press('Delete');
  await pick(page, 3);
  await page.keyboard.press('Control+x');
  expect(await whole.count()).toBe(1);
  for (const key of ['x', 'Delete', 'Backspace']) {
    await page.keyboard.press(key);
    await page.getByText('With 1 of 29 digits removed').waitFor();
    expect(page.url()).toMatch(/out=3(&|$)/);
    await page.keyboard.press(key);
    await whole.waitFor();
  }
});

test('an instance that is removed is out: the prediction moves, and moves back', async () => {
  const { page } = seen;
  const before = await prediction(page).innerText();
  const nines = (await scores(page)).sort((a, z) => z.scores[2]! - a.scores[2]!).slice(0, 2);
  for (const { instance } of nines) {
    await pick(page, instance);
    await page.keyboard.press('Delete');
    await page
      .getByRole('button', { name: `Restore digit ${instance + 1}` })
      .first()
      .waitFor();
  }
  await page.getByText('With 2 of 29 digits removed').waitFor();
  const after = await prediction(page).innerText();
  expect(after).toContain('was');
  // Without its nines the bag is “an 8”.
  expect(after).toMatch(/an 8\s+(> 99\.9|[5-9]\d(\.\d)?) %/);
  expect(page.url()).toContain(
    `out=${nines
      .map((r) => r.instance)
      .sort((p, q) => p - q)
      .join('.')}`,
  );
  const gone = async () =>
    (await scores(page)).filter((r) => r.scores.every(Number.isNaN)).map((r) => r.instance);
  await expect.poll(gone).toEqual(nines.map((r) => r.instance).sort((p, q) => p - q));
  await page.getByRole('button', { name: 'Restore all' }).click();
  await page.getByText('Restore all').waitFor({ state: 'detached' });
  await expect.poll(gone).toEqual([]);
  expect(await prediction(page).innerText()).toBe(before);
});

test('a column’s head sorts the table', async () => {
  const { page } = seen;
  await page.getByRole('button', { name: 'a 9', exact: true }).click();
  const column = (await page.locator('tbody tr td:nth-of-type(3)').allInnerTexts()).map(number);
  expect(column).toEqual([...column].sort((x, y) => y - x));
  expect(
    await page.getByRole('columnheader', { name: 'a 9', exact: true }).getAttribute('aria-sort'),
  ).toBe('descending');
  await page.getByRole('button', { name: 'Digit', exact: true }).click();
});

test('saves PNG, JSON and CSV', async () => {
  const { page } = seen;
  const saved = async (name: string) => {
    await openMenu(page, 'Save');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name, exact: true }).click(),
    ]);
    return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
  };
  const png = await saved('Save PNG');
  expect(png.name).toMatch(/^digits-bag_0.*consensus\.png$/);
  expect(png.bytes.subarray(0, 8)).toEqual(
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  );
  const json = JSON.parse((await saved('Save JSON')).bytes.toString());
  expect(json.explanations).toHaveLength(4);
  expect(json.explanations[3].scores).toHaveLength(29);
  expect(json.explanations[0].settings).toEqual({ version: 2 });
  expect(json.explanations[0].notes.join()).toMatch(/differences of log-odds/);
  const csv = (await saved('Save CSV')).bytes.toString().trim().split('\n');
  expect(csv).toHaveLength(1 + 4 * 29);
  expect(csv[0]).toBe(
    'method,class,class_name,instance,score,stderr,unit,neutral,evident,low,high,version',
  );
});

test('the saved JSON is what the command line prints for equal settings', async () => {
  const other = await visit(b, site.look);
  const { page } = other;
  await page.getByLabel(/^How to score /).selectOption('all');
  await page
    .getByRole('button', { name: 'Inherent' })
    .or(page.getByRole('tab', { name: 'Inherent' }))
    .waitFor();
  await explained(page);
  const tab = (name: string) =>
    page
      .getByRole('button', { name, exact: true })
      .or(page.getByRole('tab', { name, exact: true }));
  const caution = page.getByText('are not evidence for a class');
  await tab('Inherent').click();
  await caution.waitFor();
  await tab('MILLI').click();
  await expect.poll(() => caution.count()).toBe(0);
  await openMenu(page, 'Save');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save JSON', exact: true }).click(),
  ]);
  const ours = JSON.parse(readFileSync(await download.path(), 'utf8')) as {
    model: { name: string };
    trust: unknown[];
  };
  const root = fileURLToPath(new URL('../../../', import.meta.url));
  const digits = root + 'examples/digits/';
  const flags =
    `explain --model ${digits}model.onnx --bag ${digits}bags.npz --method all --settings ` +
    'mnist --samples 1000 --json';
  const printed = execFileSync('go', ['run', './tools/cmd/bagscope', ...flags.split(' ')], {
    cwd: root,
  });
  const theirs = JSON.parse(printed.toString()) as { model: { name: string }; trust: unknown[] };
  // The command line measures trust when it is asked to; the page does so by itself, and writes
  // what it has.
  expect(theirs.trust).toEqual([]);
  expect(Array.isArray(ours.trust)).toBe(true);
  ours.trust = [];
  ours.model.name = theirs.model.name; // the page calls its example by another name
  same(ours, theirs, 'report');
  await page.context().close();
});

/** Demands that two JSON values are equal, numbers but for rounding. */
function same(a: unknown, b: unknown, where: string): void {
  if (typeof a === 'number' && typeof b === 'number') {
    if (!(Math.abs(a - b) <= 1e-5 * Math.max(1, Math.abs(b))))
      throw new Error(`${where}: ${a}, not ${b}`);
  } else if (a && b && typeof a === 'object' && typeof b === 'object') {
    expect(Object.keys(a).sort(), where).toEqual(Object.keys(b).sort());
    for (const [key, value] of Object.entries(a))
      same(value, (b as Record<string, unknown>)[key], `${where}.${key}`);
  } else expect(a, where).toBe(b);
}

test('fewer classes are fewer strips', async () => {
  const { page } = seen;
  await page.getByRole('checkbox', { name: 'neither 8 nor 9' }).uncheck();
  await page.getByRole('checkbox', { name: 'a 9', exact: true }).uncheck();
  await expect
    .poll(async () => new Set((await cells(page)).map(([, c]) => c)))
    .toEqual(new Set([null, 1, 3]));
  expect(page.url()).toContain('classes=1.3');
});

test('a link brings the same picture', async () => {
  const { page } = seen;
  await page.getByRole('button', { name: 'Next bag' }).click();
  await explained(page);
  await page.getByLabel(/^How to score /).selectOption('one_removed');
  await page.getByText('One Removed:').or(page.getByText('One Removed, ')).waitFor();
  await explained(page);
  await expect.poll(() => page.url()).toContain('method=one_removed');
  const here = await scores(page);
  const again = await visit(b, page.url());
  await again.page.getByText('2 of 6').waitFor();
  expect(await scores(again.page)).toEqual(here);
  expect(again.page.url()).toBe(page.url());
  await again.page.context().close();
});

test('the page follows its address while it is open', async () => {
  const { page } = seen;
  await page.evaluate(() => void (location.hash = 'method=single&settings=mnist&bag=3&out=2'));
  await page.getByText('4 of 6').waitFor();
  await page.getByText('Single, seed 0').waitFor();
  await page.getByText('With 1 of 31 digits removed').waitFor();
  expect(await page.getByLabel(/^How to score /).inputValue()).toBe('single');
  // Of what makes no sense the rest is taken.
  await page.evaluate(() => void (location.hash = 'method=combined&bag=999&out=4000&seed=x'));
  await page.getByText('6 of 6').waitFor();
  await page.getByText('Combined, seed 0').waitFor();
  expect(await prediction(page).innerText()).not.toContain('was');
  await page.evaluate(() => void (location.hash = 'bag=3&v=2'));
  await page.locator('#main').getByText('The link is from another version').waitFor();
  await page.getByText('1 of 6').waitFor();
  await page.getByRole('button', { name: 'Close' }).click();
  await page.evaluate(() => void (location.hash = 'method=nonsense'));
  await expect.poll(() => page.getByRole('alert').innerText()).toContain('nonsense');
  await page.getByLabel(/^How to score /).selectOption('consensus');
  await explained(page);
  expect(await page.getByRole('alert').innerText()).toBe('');
});

test('all methods are explained side by side', async () => {
  const { page } = seen;
  await page.getByLabel(/^How to score /).selectOption('all');
  const tabs = page.getByRole('group', { name: 'Method drawn' });
  await tabs.getByRole('button', { name: 'Guided SHAP' }).click();
  const shown = await tabs.getByRole('button').allInnerTexts();
  expect(shown.sort()).toEqual(Object.values(methodTitles).sort());
  expect(await tabs.getByRole('button', { name: 'Guided SHAP' }).getAttribute('aria-pressed')).toBe(
    'true',
  );
});

test('before the engine is there, the page shows the example as it will be', async () => {
  const context = await b.newContext({ serviceWorkers: 'block' });
  const page = await context.newPage();
  let release = () => {};
  const held = new Promise<void>((done) => (release = done));
  await page.route('**/*.wasm', async (route) => (await held, route.continue()));
  await page.goto(site.look);
  await page.getByRole('heading', { name: 'The model predicts “an 8 and a 9”' }).waitFor();
  const stored = await prediction(page).innerText();
  const image = page.locator('img.poster');
  expect(
    await image.evaluate((i: HTMLImageElement) => i.decode().then(() => i.naturalWidth)),
  ).toBeGreaterThan(800);
  expect(await page.locator('main').getAttribute('aria-busy')).toBe('true');
  const before = await rowColours(page, 'img.poster');
  expect(Object.keys(before)).toEqual(['neither 8 nor 9', 'an 8', 'a 9', 'an 8 and a 9']);
  release();
  await explained(page);
  expect(await image.count()).toBe(0);
  const after = await rowColours(page, 'canvas[data-cells]');
  for (const [name, ends] of Object.entries(before))
    for (const [i, end] of ends.entries())
      expect(Math.abs(end - after[name]![i]!), `${name} ${i}`).toBeLessThan(8);
  expect(await prediction(page).innerText()).toBe(stored);
  await context.close();
});

/**
 * The most orange and the bluest pixel of the rows beside each class's name, as blue minus red, of a
 * picture with names above it. They do not depend on how many instances are in a row.
 */
function rowColours(page: Page, picture: string): Promise<Record<string, [number, number]>> {
  return page.locator(picture).evaluate((source: HTMLImageElement | HTMLCanvasElement) => {
    const { width, height, left, top } = source.getBoundingClientRect();
    const copy = document.createElement('canvas').getContext('2d', { willReadFrequently: true })!;
    [copy.canvas.width, copy.canvas.height] = [Math.round(width), Math.round(height)];
    copy.drawImage(source, 0, 0, width, height);
    const rows: Record<string, [number, number]> = {};
    for (const label of source.closest('.stage')!.querySelectorAll('span[title]')) {
      const at = label.getBoundingClientRect();
      // Below the sign in the middle of a cell.
      const y = Math.round(at.bottom - top - 5);
      const { data } = copy.getImageData(at.right - left, y, left + width - at.right, 1);
      const ends = (rows[label.textContent!] ??= [0, 0]);
      for (let i = 0; i < data.length; i += 4) {
        const blue = data[i + 2]! - data[i]!;
        [ends[0], ends[1]] = [Math.min(ends[0], blue), Math.max(ends[1], blue)];
      }
    }
    return rows;
  }, undefined);
}

test('an engine that cannot be loaded is said, with a way out', async () => {
  const context = await b.newContext({ serviceWorkers: 'block' });
  const page = await context.newPage();
  await page.route('**/*.wasm', (route) => route.fulfill({ status: 404 }));
  await page.goto(site.look);
  await expect
    .poll(() => page.getByRole('alert').innerText())
    .toContain('Reload the page to try again.');
  await page.unroute('**/*.wasm');
  await page.getByRole('button', { name: 'Try again' }).click();
  await explained(page);
  await context.close();
});

test('a browser without canvases shows tables and predictions, and the reason once', async () => {
  const context = await b.newContext({ serviceWorkers: 'block' });
  await context.addInitScript(() => {
    HTMLCanvasElement.prototype.getContext = OffscreenCanvas.prototype.getContext = () => null;
  });
  const other = await visit(b, site.look, {}, context);
  const { page } = other;
  const alert = page.getByRole('alert');
  const refused = 'The browser does not draw on a canvas of';
  await expect.poll(() => alert.innerText()).toContain(refused);
  expect(await alert.innerText()).toMatch(/allow canvases[^]+The table below has all numbers/);
  expect(await scores(page)).toHaveLength(29);
  expect(await prediction(page).innerText()).toContain('> 99.9 %');

  // Closed words do not return with the next picture of the same bag.
  await page.getByRole('button', { name: 'Close this message' }).click();
  await page.getByRole('button', { name: 'Remove digit 1', exact: true }).click();
  await page.getByRole('button', { name: 'Restore all' }).waitFor();
  await explained(page);
  expect(await alert.innerText()).toBe('');

  // Files that are pictures are refused in the same words.
  await openMenu(page, 'Save');
  await page.getByRole('button', { name: 'Save PNG' }).click();
  await expect.poll(() => alert.innerText()).toContain(refused);

  const file = (name: string) => ({ name, bytes: readFileSync(data(name)) });
  await drop(page, [file('attention4.onnx'), file('files/clam.h5')]);
  await page.getByText('12 patches of 4').waitFor();
  await explained(page);
  await expect.poll(() => alert.innerText()).toContain(refused);
  expect(await scores(page)).toHaveLength(12);
  expect(other.complaints).toEqual([]);
  await context.close();
});

test('nothing was complained about', () => expect(seen.complaints).toEqual([]));
