// A model that returns a vector: the page asks what it is compared with, and explains the likeness.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { violations } from './article';
import { page } from './explorer';
import { drop, explained, prediction, scores } from './page';

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

/** A vector as NumPy writes it. */
function npy(name: string, numbers: number[]) {
  const text = `{'descr': '<f8', 'fortran_order': False, 'shape': (${numbers.length},), }`.padEnd(
    117,
  );
  const head = Buffer.from('\x93NUMPY\x01\x00\x76\x00' + text + '\n', 'latin1');
  const buffer = Buffer.concat([head, Buffer.from(Float64Array.from(numbers).buffer)]);
  return { name, mimeType: 'application/octet-stream', buffer };
}

const form = () => page.getByRole('form', { name: 'Target of the likeness' });

test('a vector asks alike to what, and a file of a vector answers', async () => {
  await drop(page, [model, bag]);
  await form().getByText('This model returns a vector. Alike to what?').waitFor();
  expect(await violations(page)).toEqual([]);
  const file = form().getByLabel('A vector, or prototypes of classes');
  await file.setInputFiles(npy('short.npy', [1, 2]));
  await expect.poll(() => page.getByRole('alert').innerText()).toContain('vectors of 2 numbers');
  await file.setInputFiles(npy('reference.npy', [1, -2, 3, 1]));
  await form().getByText('Scores are of the likeness to reference.').waitFor();
  await explained(page);
  expect(await prediction(page).innerText()).toContain('reference');
  expect(await violations(page)).toEqual([]);
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
