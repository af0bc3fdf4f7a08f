// Files that can be opened in several ways: the page offers the arrays of a file, and strides for
// a picture that makes too many patches.
import { readFileSync } from 'node:fs';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { violations } from './article';
import { page, turnTo } from './explorer';
import { b, site } from './site';
import { cells, data, digits, drop, explained, grey, scores, visit } from './page';

const file = (name: string) => ({ name, bytes: readFileSync(data(name)) });
const encoders = () => ({ name: 'encoders.h5', bytes: file('files/encoders.h5').bytes });
const alerted = () => page.getByRole('alert').innerText();
const offered = (title: string) => page.getByRole('list', { name: title });
const focused = (p: Page) => p.evaluate(() => document.activeElement?.textContent ?? '');

test('an array of two encoders is chosen by the keyboard, and the bag has its places', async () => {
  await drop(page, [file('attention4.onnx'), encoders()]);
  await expect
    .poll(alerted)
    .toContain('encoders.h5 holds several arrays that can be the features. Choose one of them.');
  const list = offered('Features');
  expect(await list.getByRole('button').allInnerTexts()).toEqual([
    'conch/features\n12 × 3',
    'uni/features\n12 × 4, fits the model',
  ]);
  // A screen reader reads the alert as a whole: the list is not part of it.
  expect(await page.getByRole('alert').getByRole('list').count()).toBe(0);
  await list.getByRole('button', { name: 'conch/features' }).focus();
  await page.keyboard.press('Tab');
  expect(await focused(page)).toContain('uni/features');
  await page.keyboard.press('Enter');
  await page.getByText('12 patches of 4').waitFor();
  await explained(page);
  expect(await alerted()).toBe('');
  expect(await list.count()).toBe(0);
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('main');
  expect(await cells(page)).toHaveLength(12);
  expect((await scores(page))[5]!.scores[1]).toBeGreaterThan(0.05);
});

test('an array that does not fit is refused in words, and the arrays are offered again', async () => {
  await drop(page, [file('attention4.onnx'), file('two_bags.csv')]);
  await page.getByText('1 of 2', { exact: true }).waitFor();
  await explained(page);
  await drop(page, [encoders()]);
  await offered('Features').getByRole('button', { name: 'conch/features' }).click();
  await expect.poll(alerted).toContain('an instance has shape (3,), but the model takes (4,)');
  await offered('Features').getByRole('button', { name: 'uni/features' }).click();
  await page.getByText('12 patches of 4').waitFor();
  await explained(page);
  expect(await alerted()).toBe('');
});

test.each([
  ['light', {}],
  ['dark', { colorScheme: 'dark' }],
  ['on a phone', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }],
] as [string, BrowserContextOptions][])(
  'the choice passes axe-core and stays within the screen: %s',
  async (_, options) => {
    await page.context().close();
    turnTo((await visit(b, site.look, options)).page);
    await drop(page, [file('attention4.onnx'), encoders()]);
    await offered('Features').waitFor();
    expect(await violations(page)).toEqual([]);
    for (const button of await offered('Features').getByRole('button').all())
      expect((await button.boundingBox())!.height).toBeGreaterThanOrEqual(44);
    const over = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(await over()).toBeLessThanOrEqual(0);
  },
);

test('a model that judges each instance is explained as soon as its answers are combined', async () => {
  await drop(page, [file('instances4.onnx'), file('two_bags.csv')]);
  await expect
    .poll(alerted)
    .toContain(
      'seems to judge each instance by itself. Choose how its answers become that of the bag',
    );
  const list = offered('Answer for the bag');
  expect(await violations(page)).toEqual([]);
  await list.getByRole('button', { name: 'The highest' }).click();
  await page.getByText('1 of 2', { exact: true }).waitFor();
  await explained(page);
  expect(await alerted()).toBe('');
  await page.getByRole('button', { name: 'Next bag' }).click();
  await explained(page);
  // Under the maximum, an instance without an alarm changes nothing.
  const of = (await scores(page)).map(({ scores }) => scores[0]!);
  expect(Math.max(of[0]!, of[3]!)).toBeGreaterThan(0.1);
  expect(Math.abs(of[1]!)).toBeLessThan(1e-3);
});

/** A model of pixels with patches of 27 × 27 at a stride. */
const every = (stride: number) => [
  file('pixels.onnx'),
  {
    name: 'pixels.bagscope.json',
    bytes: Buffer.from(JSON.stringify({ patch: { size: 27, stride } })),
  },
];

test('a picture that makes too many patches is refused, and larger strides are offered', async () => {
  await drop(page, [
    ...every(1),
    { name: 'small.png', bytes: grey(400, 400, (x, y) => (x * y) % 251) },
  ]);
  await expect
    .poll(alerted)
    .toContain('small.png: an array of shape (139876, 3, 27, 27) is too large');
  expect(await alerted()).not.toMatch(/Limits|2\^28|damaged/);
  expect(await offered('Stride').getByRole('button').allInnerTexts()).toEqual([
    '2 pixels\n34\u202f969 patches',
    '4 pixels\n8\u202f836 patches',
    '8 pixels\n2\u202f209 patches',
  ]);
});

test('a larger stride, chosen after the refusal, opens the picture', async () => {
  await drop(page, [
    ...every(1),
    { name: 'small.png', bytes: grey(400, 400, (x, y) => (x * y) % 251) },
  ]);
  await expect.poll(alerted).toContain('139876');
  await offered('Stride').getByRole('button', { name: '8 pixels' }).click();
  await page.getByText('2\u202f209 patches of 3 × 27 × 27').waitFor();
  await page.locator('td.number').first().waitFor();
  expect(await alerted()).toBe('');
  expect(await page.getByLabel('Stride').inputValue()).toBe('8');
  // The form of an open picture is refused in the same way, and the picture stays open.
  await page.getByLabel('Stride').fill('1');
  await page.getByRole('button', { name: 'Cut again' }).click();
  await expect.poll(alerted).toMatch(/139876.*small\.png is still open/s);
});

test('after a bag that does not fit, the message has buttons that choose another of either', async () => {
  await drop(page, [digits(), file('files/clam.h5')]);
  await expect.poll(alerted).toMatch(/but the model takes \(1, 28, 28\)/);
  const other = (half: string) => page.getByText(`Another ${half} …`);
  expect(await other('model').count()).toBe(1);
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), other('bag').click()]);
  await chooser.setFiles(data('../../../examples/digits/bags.npz'));
  await page.getByText('For all 29 digits').waitFor();
  await explained(page);
  expect(await alerted()).toBe('');
  expect(await other('bag').count()).toBe(0);
});
