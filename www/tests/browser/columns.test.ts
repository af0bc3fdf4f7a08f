// The form of the columns of a table: what each was taken for, and another choice.
import { readFileSync } from 'node:fs';
import type { BrowserContextOptions } from 'playwright-core';
import { expect, test } from 'vitest';
import { violations } from './article';
import { page, turnTo } from './explorer';
import { b, site } from './site';
import { data, drop, explained, visit } from './page';

const model = { name: 'attention4.onnx', bytes: readFileSync(data('attention4.onnx')) };
const table = (header: string, row: (i: number) => string) => ({
  name: 'cells.csv',
  bytes: Buffer.from([header, ...Array.from({ length: 12 }, (_, i) => row(i))].join('\n') + '\n'),
});
/** Rows of two slides with four features, and ids of two cases. */
const plain = () =>
  table('slide,f1,f2,f3,f4,who', (i) => `s${i >> 2},${i % 3},.5,${i % 2},.25,w${i % 2}`);
/** Rows whose time rises, so that the reader asks. */
const asking = () =>
  table('slide,f1,f2,f3,time', (i) => `s${i >> 2},${i % 3},.5,${i % 2},${3 * i}`);
const alerted = () => page.getByRole('alert').innerText();
const summary = () => page.getByText('Columns of the table', { exact: true });
const choice = (name: string) =>
  page.getByRole('combobox', { name: `What ${name} holds`, exact: true });

async function openData() {
  await page.getByRole('button', { name: 'Data', exact: true }).click();
  await summary().click();
}

test('another column of ids reads the bag again, by the keyboard, and the card keeps it', async () => {
  await drop(page, [model, plain()]);
  await page.getByText('1 of 3', { exact: true }).waitFor();
  await explained(page);
  await openData();
  await choice('slide').waitFor();
  const hint =
    'What each column is taken for. Another choice reads the bag again; save the card to keep it.';
  await page.getByText(hint, { exact: true }).waitFor();
  const values = await Promise.all(
    ['slide', 'f1', 'f4', 'who'].map((name) => choice(name).inputValue()),
  );
  expect(values).toEqual(['bag', 'feature', 'feature', 'skip']);
  await choice('who').focus();
  await page.keyboard.type('Id of');
  await page.keyboard.press('Enter');
  await page.getByText('1 of 2', { exact: true }).waitFor();
  await explained(page);
  expect(await choice('who').inputValue()).toBe('bag');
  expect(await choice('slide').inputValue()).toBe('skip');
  // The form stays, and the focus in it.
  expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe(
    'What who holds',
  );
  await page.getByText('Class names', { exact: true }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save card' }).click(),
  ]);
  const card = JSON.parse(readFileSync(await download.path(), 'utf8')) as object;
  expect(card).toMatchObject({ columns: 'who=bag' });
  await page.getByRole('button', { name: 'Restore columns' }).click();
  await page.getByText('1 of 3', { exact: true }).waitFor();
});

test('one of two coordinates is a fault in words, both are places', async () => {
  await drop(page, [model, plain()]);
  await page.getByText('1 of 3', { exact: true }).waitFor();
  await openData();
  await choice('f1').selectOption('x');
  const fault = page.getByText('x and y of places are stated by two columns');
  await fault.waitFor();
  expect(await page.getByText('1 of 3', { exact: true }).count()).toBe(1);
  await choice('f2').selectOption('y');
  await fault.waitFor({ state: 'detached' });
  // Two features remain, which the model does not take: the message has the form, too.
  await expect.poll(alerted).toContain('the model takes (4,)');
  await page.getByRole('button', { name: 'Close this message' }).click();
});

test('a card that is opened after a table says what its columns hold', async () => {
  await drop(page, [model, plain()]);
  await page.getByText('1 of 3', { exact: true }).waitFor();
  await explained(page);
  const card = { name: 'attention4.bagscope.json', bytes: Buffer.from('{"columns": "who=bag"}') };
  await drop(page, [model, card]);
  await page.getByText('1 of 2', { exact: true }).waitFor();
  await explained(page);
});

test('a question is answered by the form in its message', async () => {
  await drop(page, [model, asking()]);
  await expect.poll(alerted).toContain('whole numbers rise from row to row in time');
  await summary().first().click();
  await choice('time').first().waitFor();
  expect(await choice('time').first().inputValue()).toBe('');
  await choice('time').first().selectOption('feature');
  await page.getByText('1 of 3', { exact: true }).waitFor();
  await explained(page);
  expect(await alerted()).toBe('');
});

test.each([
  ['light', {}],
  ['dark', { colorScheme: 'dark' }],
  ['on a phone', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }],
] as [string, BrowserContextOptions][])(
  'the form passes axe-core and stays within the screen: %s',
  async (_, options) => {
    await page.context().close();
    turnTo((await visit(b, site.look, options)).page);
    await drop(page, [model, asking()]);
    await summary().first().click();
    await choice('time').first().waitFor();
    expect(await violations(page)).toEqual([]);
    const over = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(await over()).toBeLessThanOrEqual(0);
  },
);
