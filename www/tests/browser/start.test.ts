// A user's own files: where they are opened, what a model or a bag alone shows, and what is
// forgotten.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { page } from './explorer';
import { data, digits, drop, explained, openFiles, openMenu, prediction, scores } from './page';
import { b, site } from './site';

const alerted = () => page.getByRole('alert').innerText();
const bags = () => ({
  name: 'own.npz',
  bytes: readFileSync(data('../../../examples/digits/bags.npz')),
});
const picture = () => ({ name: 'picture.png', bytes: readFileSync(data('files/picture.png')) });

/** Waits until the page has no example and could fetch nothing more. */
async function emptied(): Promise<void> {
  await page.getByText('Open a model and a bag: drop the files').waitFor();
  await page.locator('main[aria-busy="false"]').waitFor();
}

test.each([
  [390, 844],
  [1280, 900],
])(
  'on %i × %i pixels the places for own files are in sight, and the keyboard reaches them',
  async (width, height) => {
    await page.setViewportSize({ width, height });
    await page.evaluate(() => scrollTo(0, 0));
    await openFiles(page);
    for (const name of ['Choose model', 'Choose bag']) {
      const zone = page.locator('label.zone', { has: page.getByLabel(name) });
      const box = (await zone.boundingBox())!;
      expect(box.y).toBeGreaterThan(0);
      expect(box.y + box.height).toBeLessThanOrEqual(height);
    }
    await page.locator('summary', { hasText: 'Examples' }).focus();
    await page.keyboard.press('Shift+Tab');
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
    expect(await focused()).toBe('Choose bag');
    await page.keyboard.press('Shift+Tab');
    expect(await focused()).toBe('Choose model');
  },
);

test('of two drops the later one is open at the end, though the files of the earlier come late', async () => {
  // A folder that the browser lists slowly.
  const release = await page.evaluateHandle(
    (text) => {
      let release = () => {};
      const listed = new Promise<void>((done) => (release = done));
      const file = new File([text], 'early.csv');
      const found = {
        name: file.name,
        isFile: true,
        file: (done: (file: File) => void) => done(file),
      };
      const parts = [[found], []];
      const readEntries = (done: (part?: object[]) => void) =>
        void listed.then(() => done(parts.shift()));
      const entry = { name: 'folder', isDirectory: true, createReader: () => ({ readEntries }) };
      const event = new DragEvent('drop', { bubbles: true, cancelable: true });
      const dataTransfer = {
        types: ['Files'],
        items: [{ webkitGetAsEntry: () => entry }],
        files: [],
      };
      Object.defineProperty(event, 'dataTransfer', { value: dataTransfer });
      document.querySelector('main')!.dispatchEvent(event);
      return release;
    },
    readFileSync(data('two_bags.csv'), 'utf8'),
  );
  const model = { name: 'attention4.onnx', bytes: readFileSync(data('attention4.onnx')) };
  const late = { name: 'late.csv', bytes: readFileSync(data('two_bags.csv')) };
  await drop(page, [model, late]);
  await release.evaluate((release) => release());
  await explained(page);
  expect(await page.locator('.zones').innerText()).toContain('late.csv');
});

test.each([
  ['bags.npz', /The engine failed.*bags\.npz cannot be fetched; check the connection/s],
  ['bagscope-*.wasm', /The engine failed.*The engine cannot be loaded/s],
  ['worker-*.js', /The engine failed.*script of the engine's worker cannot be loaded/s],
])('the page says that %s cannot be fetched', async (file, words) => {
  const context = await b.newContext({ serviceWorkers: 'block' });
  await context.route(`**/${file}`, (route) => route.abort());
  const own = await context.newPage();
  const close = () => own.getByRole('button', { name: 'Close this message' }).click();
  await own.goto(site.look);
  await own.getByRole('alert').filter({ hasText: words }).waitFor();
  // Files cannot be opened then, and the message stays, or returns.
  const model = { name: 'attention4.onnx', bytes: readFileSync(data('attention4.onnx')) };
  for (const act of [() => Promise.resolve(), close]) {
    await act();
    await drop(own, [model]);
    await own.locator('main[aria-busy="false"]').waitFor();
    await own.getByRole('alert').getByText('The engine failed').waitFor();
  }
  await context.close();
});

test('the page says that it has no graphics processor if its address asks for one', async () => {
  const context = await b.newContext({ serviceWorkers: 'block' });
  await context.addInitScript(() =>
    Object.defineProperty(Navigator.prototype, 'gpu', { value: undefined }),
  );
  const own = await context.newPage();
  await own.goto(`${site.look}?device=gpu`);
  const alert = own.getByRole('alert');
  await alert.getByText('There is no graphics processor for this page').waitFor();
  await alert.getByText('remove device=gpu from the address of the page').waitFor();
  await own.goto(site.look);
  await explained(own);
  expect(await alert.innerText()).toBe('');
  await context.close();
});

test(
  'the page starts empty on request; a model alone says what it takes, and a bag makes ' +
    'it whole',
  async () => {
    await openMenu(page, 'Examples');
    await page.getByRole('button', { name: 'Start empty' }).click();
    await emptied();
    await page.reload();
    await emptied();
    expect(await page.getByText('none yet').count()).toBe(2);
    await drop(page, [digits()]);
    await page.getByText('The model takes digits of 1 × 28 × 28. Open a bag to see').waitFor();
    expect(await alerted()).toBe('');
    await drop(page, [bags()]);
    await explained(page);
    expect(await prediction(page).innerText()).toMatch(/an 8 and a 9\s+> 99\.9 %/);
    expect(await scores(page)).toHaveLength(29);
    await openMenu(page, 'Examples');
    await page.getByRole('button', { name: 'Open the bundled example' }).click();
    await page.getByText('digits.npz', { exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe('');
  },
);

test('a picture alone is shown and not explained by the model of the example', async () => {
  await drop(page, [picture()]);
  await page.getByText('Open the model that predicts this bag.').waitFor();
  await page.locator('canvas[data-scale]').waitFor();
  expect(await alerted()).toBe('');
  expect(await prediction(page).innerText()).not.toContain('%');
  expect(await page.locator('td.number').count()).toBe(0);
  await drop(page, [digits()]);
  await page.getByText('2 digits of 1 × 28 × 28').waitFor();
  await explained(page);
  expect(await alerted()).toBe('');
});

test('classes are given names, which the page, its files and the saved card use', async () => {
  await page.getByText('Class names').click();
  await page.getByLabel('Class 3', { exact: true }).fill('both');
  await page.getByLabel('Class 3', { exact: true }).press('Enter');
  await page.getByRole('heading', { name: 'The model predicts “both”' }).waitFor();
  await page.getByRole('columnheader', { name: 'both' }).waitFor();
  await page.locator('main[aria-busy="false"]').waitFor();
  const saved = async (name: string) => {
    await openMenu(page, 'Save');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name, exact: true }).click(),
    ]);
    return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
  };
  expect((await saved('Save CSV')).bytes.toString()).toMatch(/^consensus,3,both,/m);
  expect((await saved('Save report')).bytes.toString()).toContain('both');
  const card = await saved('Save card');
  expect(card.name).toBe('digits.bagscope.json');
  const { classes } = JSON.parse(card.bytes.toString()) as { classes: string[] };
  expect(classes).toEqual(['neither 8 nor 9', 'an 8', 'a 9', 'both']);
  await page.getByRole('button', { name: 'Restore names' }).click();
  await page.getByRole('heading', { name: 'The model predicts “an 8 and a 9”' }).waitFor();
  await drop(page, [digits(), card, bags()]);
  await page.getByText('own.onnx', { exact: true }).waitFor();
  await page.getByRole('heading', { name: 'The model predicts “both”' }).waitFor();
});

test('everything is forgotten when the user confirms it, also after a reload', async () => {
  await page.getByLabel('Colours').selectOption('dark');
  await drop(page, [digits(), bags()]);
  await page.getByText('own.npz', { exact: true }).waitFor();
  await explained(page);
  expect(await page.evaluate(() => localStorage.length)).toBe(1);
  const ask = () => page.getByRole('button', { name: 'Remove my data' }).click();
  await ask();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Keep' }).click();
  expect(await scores(page)).toHaveLength(29);
  await ask();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove all' }).click();
  await emptied();
  await page
    .getByText(/^Removed: own\.onnx, own\.npz, all results/)
    .first()
    .waitFor();
  expect(await page.evaluate(() => localStorage.length)).toBe(0);
  expect(await page.locator('td.number').count()).toBe(0);
  await page.reload();
  await emptied();
  expect(await page.locator('body').innerText()).not.toContain('own.npz');
  expect(page.url()).toBe(`${site.look}?example=none`);
});
