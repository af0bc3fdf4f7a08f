// A model that takes the age of a patient beside the bag: the page asks for it once, shows what it
// uses, and explains again when it changes.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { violations } from './article';
import { page, saved } from './explorer';
import { drop, explained, scores } from './page';

const corpus = (name: string) => ({
  name,
  bytes: readFileSync(path.join(import.meta.dirname, '../../../testdata/corpus', name)),
});
const age = () => page.getByLabel('age', { exact: true });
const from = () => age().locator('xpath=following-sibling::span').innerText();
const alerted = () => page.getByRole('alert').innerText();
const likely = () => page.locator('.prediction .sentence').innerText();

test('an age that the file does not state is asked for, and entered by the keyboard', async () => {
  await drop(page, [corpus('patient.onnx'), corpus('bag.npy')]);
  await expect
    .poll(alerted)
    .toContain(
      'The model takes age of each bag, and this bag does not state it. Enter it above the picture.',
    );
  expect(await age().inputValue()).toBe('');
  expect(await from()).toBe('not stated');
  expect(await violations(page)).toEqual([]);
  await age().focus();
  await page.keyboard.type('63');
  await page.keyboard.press('Enter');
  await page.getByText('5 instances of 4').waitFor();
  await explained(page);
  expect(await alerted()).toBe('');
  expect(await age().inputValue()).toBe('63');
  expect(await from()).toBe('entered here');
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('covariate-0');
  expect(await violations(page)).toEqual([]);
});

test('the age of each bag is kept with it, and changing it explains the bag again', async () => {
  await drop(page, [corpus('patient.onnx'), corpus('patients.csv')]);
  await page.getByText('1 of 3', { exact: true }).waitFor();
  await explained(page);
  expect(await age().inputValue()).toBe('63');
  expect(await from()).toBe('from the file');
  const [said, before] = [await likely(), await scores(page)];
  await age().fill('10');
  await age().press('Tab');
  await expect.poll(likely).not.toBe(said);
  await explained(page);
  expect(await scores(page)).not.toEqual(before);
  await page.getByRole('button', { name: 'Next bag' }).click();
  await expect.poll(() => age().inputValue()).toBe('50');
  await explained(page);
  await page.getByRole('button', { name: 'Previous bag' }).click();
  await expect.poll(() => age().inputValue()).toBe('10');
  await explained(page);
  expect(await from()).toBe('entered here');
  // Without a number of the user's, the file's counts again.
  await age().fill('');
  await age().press('Enter');
  await expect.poll(() => age().inputValue()).toBe('63');
  await expect.poll(likely).toBe(said);
  expect(await from()).toBe('from the file');
});

test('the bag is predicted for other values of the age', async () => {
  await drop(page, [corpus('patient.onnx'), corpus('patients.csv')]);
  await page.getByText('1 of 3', { exact: true }).waitFor();
  await explained(page);
  const table = page.getByRole('region', { name: 'Predictions by age' });
  const rows = () => table.locator('tbody th').allInnerTexts();
  await page.getByRole('button', { name: 'Predict for these values' }).click();
  await expect.poll(async () => (await rows()).length).toBe(11);
  expect((await rows()).at(0)).toBe('50');
  expect((await rows()).at(-1)).toBe('71');
  expect(await violations(page)).toEqual([]);
  await page.getByLabel('Values, such as 40,50,60').fill('63, 70.5');
  await page.keyboard.press('Enter');
  await expect.poll(rows).toEqual(['63', '70.5']);
  // The corpus states the prediction for the patient's own age.
  const own = await table.locator('tbody tr').first().locator('td').allInnerTexts();
  expect(own.map(parseFloat)).toEqual([4.7, 30.4, 64.9]);
  await page.getByLabel('Values, such as 40,50,60').fill('old');
  await page.keyboard.press('Enter');
  await expect.poll(alerted).toContain('"old" is not a finite number');
});

test('what the age adds to a reference is said, and is in the saved report and JSON', async () => {
  await drop(page, [corpus('patient.onnx'), corpus('patients.csv')]);
  await page.getByText('1 of 3', { exact: true }).waitFor();
  await explained(page);
  const report = async () => (await saved('Save report')).bytes.toString();
  expect(await report()).toContain('<th scope="row">age</th><td>63</td><td></td>');
  const reference = page.getByLabel('Reference', { exact: true });
  await reference.fill('age=50');
  await reference.press('Enter');
  await page.getByText('age 63: adds −1.342 log-odds to two, compared with 50.').waitFor();
  await explained(page);
  expect(await violations(page)).toEqual([]);
  expect(page.url()).toContain('reference=age%3D50');
  expect(await report()).toContain('<th scope="row">age</th><td>63</td><td>50</td>');
  const { covariates } = JSON.parse((await saved('Save JSON')).bytes.toString());
  expect(covariates[0]).toMatchObject({ name: 'age', values: [63], reference: [50] });
  expect(covariates[0].adds[1]).toBeCloseTo(1.5316, 3);
  await reference.fill('mean');
  await reference.press('Enter');
  await page.getByText('compared with 61.333').waitFor();
  await reference.fill('old');
  await reference.press('Enter');
  await expect.poll(alerted).toContain('or mean, the means over the bags of the file');
  await reference.fill('');
  await reference.press('Enter');
  await explained(page);
  expect(await page.getByText('compared with').count()).toBe(0);
});

test('a replay file brings back what was entered, and the same explanation', async () => {
  const files = [corpus('patient.onnx'), corpus('patients.csv')];
  await drop(page, files);
  await page.getByText('1 of 3', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Next bag' }).click();
  await page.getByText('2 of 3').waitFor();
  await explained(page);
  const said = await likely();
  await age().fill('10');
  await age().press('Enter');
  await expect.poll(likely).not.toBe(said);
  await explained(page);
  const [entered, before] = [await likely(), await scores(page)];
  const replay = await saved('Save replay file');
  expect(JSON.parse(replay.bytes.toString()).inputs).toEqual({ age: [10] });
  await page.reload();
  await explained(page);
  await drop(page, [replay, ...files]);
  await page.getByText('are the same (SHA-256)').first().waitFor();
  await page.getByText('2 of 3').waitFor();
  await explained(page);
  expect(await age().inputValue()).toBe('10');
  expect(await from()).toBe('entered here');
  expect(await likely()).toBe(entered);
  expect(await scores(page)).toEqual(before);
});

test('a model without such inputs has no form', async () => {
  await explained(page);
  expect(await page.getByRole('form', { name: 'Inputs beside the bag' }).count()).toBe(0);
});
