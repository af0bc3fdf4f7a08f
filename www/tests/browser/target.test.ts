// A model that returns a vector: the page asks what it is compared with, and explains the likeness.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { violations } from './article';
import { page } from './explorer';
import { drop, explained, scores } from './page';

/** The mean of a bag (k, 4), with a card that calls it an embedding. */
const model = {
  name: 'vector.onnx',
  bytes: Buffer.from(
    'CAg6exIEdGVzdAo+CgNiYWcSCWVtYmVkZGluZxoAIgpSZWR1Y2VNZWFuKgsKBGF4ZXNAAKABByoPCghr' +
      'ZWVwZGltcxgBoAECOgBaFgoDYmFnEg8KDQgBEgkKAxIBawoCCARiGwoJZW1iZWRkaW5nEg4KDAgBEggK' +
      'AggBCgIIBEICEA1yIwoIYmFnc2NvcGUSF3sib3V0cHV0IjogImVtYmVkZGluZyJ9',
    'base64',
  ),
};
const bag = {
  name: 'bag.npy',
  bytes: readFileSync(path.join(import.meta.dirname, '../../../testdata/corpus/bag.npy')),
};

/** An array as NumPy writes it, a vector unless its shape is given. */
function npy(name: string, numbers: number[], shape = `${numbers.length},`) {
  const text = `{'descr': '<f8', 'fortran_order': False, 'shape': (${shape}), }`.padEnd(117);
  const head = Buffer.from('\x93NUMPY\x01\x00\x76\x00' + text + '\n', 'latin1');
  const buffer = Buffer.concat([head, Buffer.from(Float64Array.from(numbers).buffer)]);
  return { name, mimeType: 'application/octet-stream', buffer };
}

/** Two classes of a vector (1, 4), by a product with weights; it states no axis of instances. */
const head = {
  name: 'head.onnx',
  bytes: Buffer.from(
    'CAcSADp7ChgKA2VtYgoBVxIGbG9naXRzIgZNYXRNdWwSAWgqKwgECAIQAUIBV0ogAACAPwAAgL8AAAAAAACAPwAAgD8A' +
      'AAAAAACAvwAAgD9aFQoDZW1iEg4KDAgBEggKAggBCgIIBGIYCgZsb2dpdHMSDgoMCAESCAoCCAEKAggCQgQKABAN',
    'base64',
  ),
};

const form = () => page.getByRole('form', { name: 'Target of the likeness' });
const said = () => page.locator('.prediction').innerText();

test('a vector asks alike to what, and a file of a vector answers', async () => {
  await drop(page, [model, bag]);
  await form().getByText('This model returns a vector. Alike to what?').waitFor();
  expect(await page.getByText('A setting is invalid').count()).toBe(0);
  expect(await violations(page)).toEqual([]);
  const file = form().getByLabel('A vector, or prototypes of classes');
  await file.setInputFiles(npy('short.npy', [1, 2]));
  await expect.poll(() => page.getByRole('alert').innerText()).toContain('vectors of 2 numbers');
  await file.setInputFiles(npy('reference.npy', [1, -2, 3, 1]));
  await form().getByText('Scores are of the likeness to reference.').waitFor();
  await explained(page);
  expect(await said()).toMatch(/Likeness to\s+“reference”/);
  expect(await violations(page)).toEqual([]);
});

test('a vector is dropped on the page like any file, and a bag stays a bag', async () => {
  await drop(page, [model, bag]);
  await form().getByText('Alike to what?').waitFor();
  const dropped = (name: string, numbers: number[], shape?: string) => {
    const { buffer } = npy(name, numbers, shape);
    return drop(page, [{ name, bytes: buffer }]);
  };
  await dropped('reference.npy', [1, -2, 3, 1]);
  await form().getByText('Scores are of the likeness to reference.').waitFor();
  await explained(page);
  await dropped('short.npy', [1, 2]);
  await expect.poll(() => page.getByRole('alert').innerText()).toContain('vectors of 2 numbers');
  await dropped('next.npy', [1, 2, 3, 4, 4, 3, -2, 1], '2, 4');
  await expect.poll(() => page.locator('.sources').innerText()).toContain('next.npy');
  await form().getByText('Scores are of the likeness to reference.').waitFor();
  await explained(page);
});

test('a model that takes the vector is explained behind the one that returns it', async () => {
  await drop(page, [head, model, bag]);
  await expect.poll(() => page.locator('.sources').innerText()).toContain('head.onnx');
  await explained(page);
  expect(await scores(page)).toHaveLength(5);
  expect(await page.getByRole('alert').innerText()).toBe('');
});

test('a bag is compared with the next one', async () => {
  await drop(page, [model, bag]);
  await form()
    .getByLabel('A vector, or prototypes of classes')
    .setInputFiles(npy('reference.npy', [1, -2, 3, 1]));
  await form().getByText('Scores are of the likeness to reference.').waitFor();
  await explained(page);
  const before = await scores(page);
  await form().getByRole('button', { name: 'Alike to this bag' }).click();
  await form().getByText('Scores are of the likeness to bag.').waitFor();
  await explained(page);
  expect(await scores(page)).not.toEqual(before);
  await form().getByRole('button', { name: 'Remove' }).click();
  await form().getByText('Alike to what?').waitFor();
});

test('another bag is explained, too: what makes the two alike', async () => {
  await drop(page, [model, bag]);
  const other = npy('other.npy', [1, 2, 3, 4, 4, 3, -2, 1, 0, 1, 5, 2], '3, 4');
  await form().getByLabel('Another bag').setInputFiles(other);
  await form().getByText('Scores are of the likeness to other.').waitFor();
  await explained(page);
  const map = page.getByRole('img', { name: 'other: what makes it like the open bag' });
  await map.waitFor();
  await expect
    .poll(() => map.locator('canvas').evaluate((c: HTMLCanvasElement) => c.height))
    .toBeGreaterThan(60);
  expect(await violations(page)).toEqual([]);
  await form().getByRole('button', { name: 'Remove' }).click();
  await form().getByText('Alike to what?').waitFor();
  expect(await map.count()).toBe(0);
});
