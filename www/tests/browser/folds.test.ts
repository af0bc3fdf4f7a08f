// Several models that take the same bags are one: their mean, and each of them in its place.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { violations } from './article';
import { page, saved } from './explorer';
import { drop, explained, scores, sent } from './page';
import { site } from './site';

const example = (name: string) =>
  readFileSync(path.join(import.meta.dirname, '../../../examples', name));
const fold = (n: number) => ({
  name: `fold${n}.onnx`,
  bytes: example(`digits/folds/fold${n}.onnx`),
});
const folds = [2, 0, 1].map(fold);
const bag = { name: 'digits.npz', bytes: example('digits/bags.npz') };

const list = () => page.getByRole('group', { name: 'Models' });
const row = (name: string | RegExp) => list().getByRole('radio', { name });
const models = () => page.locator('.instance .models');

test('several models are one question, with what each of them gives', async () => {
  await drop(page, [...folds, bag]);
  await list().waitFor();
  await explained(page);
  const names = await list().locator('.name').allInnerTexts();
  expect(names).toEqual(['Mean of 3', 'fold0.onnx', 'fold1.onnx', 'fold2.onnx']);
  expect(await row(/^Mean/).isChecked()).toBe(true);
  expect(await models().innerText()).toMatch(/(1 of 3 agrees|[023] of 3 agree) on the sign\s+± \d/);
  expect(await violations(page)).toEqual([]);
});

test('a model is explained in place of the mean, by keys and by its address', async () => {
  await drop(page, [...folds, bag]);
  await list().waitFor();
  await explained(page);
  const mean = await scores(page);
  const messages = await sent(page, async () => {
    await row(/^Mean/).focus();
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => page.url()).toContain('fold=0');
    await explained(page);
  });
  const asked = messages.map(({ kind }) => kind);
  expect(asked).toContain('explain');
  expect(asked.filter((kind) => /open|read/i.test(kind))).toEqual([]);
  expect(await scores(page)).not.toEqual(mean);
  expect(await models().count()).toBe(0);
  expect(await list().locator('.name').allInnerTexts()).toHaveLength(4);
  await page.keyboard.press('ArrowUp');
  await expect.poll(() => page.url()).not.toContain('fold=');
  await explained(page);
  expect(await scores(page)).toEqual(mean);
});

test('removals are of the mean and of each model', async () => {
  await drop(page, [...folds, bag]);
  await list().waitFor();
  await explained(page);
  await page.getByRole('button', { name: 'Remove', exact: true }).first().click();
  await explained(page);
  const sentence = () => page.locator('.prediction').innerText();
  const mean = await sentence();
  expect(mean).toContain('With 1 of 29 digits removed');
  await page.getByRole('group', { name: 'Models, with all instances' }).waitFor();
  // From the first drawing on, nothing of the mean stands under the name of the model.
  const first = await row(/fold1/).evaluate((radio: HTMLInputElement) => {
    radio.click();
    const text = () => document.querySelector<HTMLElement>('.prediction')?.innerText ?? '';
    return new Promise<string>((done) => queueMicrotask(() => done(text())));
  });
  expect(first).not.toBe(mean);
  await explained(page);
  await expect.poll(sentence).toContain('With 1 of 29 digits removed');
  expect(await sentence()).not.toBe(mean);
});

test('models that do not take the same bags are a question', async () => {
  const other = { name: 'machine.onnx', bytes: example('machine/model.onnx') };
  await drop(page, [fold(0), other, bag]);
  await page.getByRole('alert').getByText('Which model is meant?').waitFor();
  expect(await page.getByRole('alert').innerText()).toContain('take the same bags');
  await page.getByRole('button', { name: 'fold0.onnx' }).click();
  await expect.poll(() => page.locator('.sources').innerText()).toContain('fold0.onnx');
  expect(await list().count()).toBe(0);
});

test('an address opens the example of five models at one of them, also for the next bag', async () => {
  await page.goto(`${site.look}?example=folds#fold=2`);
  await list().waitFor();
  await explained(page);
  expect(await row(/^fold2.onnx/).isChecked()).toBe(true);
  expect(await list().locator('.number').allInnerTexts()).toHaveLength(6);
  await page.getByRole('button', { name: 'Next bag' }).click();
  await expect.poll(() => page.url()).toContain('bag=1');
  await explained(page);
  await expect.poll(() => row(/^fold2.onnx/).isChecked()).toBe(true);
  await row(/^Mean of 5/).check();
  await expect.poll(() => page.locator('.prediction').innerText()).toContain('mean of 5 models');
});

test('a replay file brings several models back, and asks for all of them', async () => {
  await drop(page, [...folds, bag]);
  await list().waitFor();
  await row(/fold1/).check();
  await explained(page);
  const replay = await saved('Save replay file');
  await page.goto(`${site.look}?example=none`);
  await drop(page, [replay]);
  await page.getByRole('alert').getByText('fold0.onnx, fold1.onnx, fold2.onnx').waitFor();
  await drop(page, [...folds, bag]);
  await page.getByText('Replayed: model, data and settings are the same').first().waitFor();
  expect(await row(/fold1/).isChecked()).toBe(true);
});

test('a replay file has the card of each model', async () => {
  const card = (n: number, noun: string) => ({
    name: `fold${n}.bagscope.json`,
    bytes: Buffer.from(JSON.stringify({ instance: noun })),
  });
  await drop(page, [fold(0), fold(1), card(0, 'sign'), card(1, 'drawing'), bag]);
  await list().waitFor();
  await explained(page);
  const replay = await saved('Save replay file');
  await page.goto(`${site.look}?example=none`);
  await drop(page, [replay, fold(1), fold(0), bag]);
  await page.getByText('Replayed: model, data and settings are the same').first().waitFor();
  await row(/fold1/).check();
  await explained(page);
  await expect.poll(() => page.locator('.prediction').innerText()).toContain('drawings');
});

test('the report has the answer of each model', async () => {
  await page.goto(`${site.look}?example=folds`);
  await list().waitFor();
  await explained(page);
  const { bytes } = await saved('Save report');
  const html = bytes.toString();
  for (const text of ['fold4.onnx', 'Mean of 5', 'models that agree on the sign', '5/5'])
    expect(html).toContain(text);
});
