// A user's own files: models, bags and pictures from the disk, broken ones too, and no request.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { page, seen } from './shared';
import { site } from './site';
import {
  cells,
  chooseMILLI,
  colour,
  data,
  digits,
  drop,
  explained,
  grey,
  openMenu,
  pick,
  prediction,
  scores,
  sent,
  stored,
} from './page';

const attention4 = () => readFileSync(data('attention4.onnx'));
const twoBags = () => readFileSync(data('two_bags.csv'));

test(
  'a model and a CSV bag, chosen from the disk, are explained; a CSV bag has bars with ' +
    'its signs',
  async () => {
    await page.getByLabel('Choose model').setInputFiles(data('attention4.onnx'));
    // The example's digits are no bag of it: another one is asked for.
    await page.getByText('Open a bag for it').first().waitFor();
    await page.getByLabel('Choose bag').setInputFiles(data('two_bags.csv'));
    await page.getByText('1 of 2', { exact: true }).waitFor();
    await explained(page);
    expect(await page.getByRole('alert').innerText()).toBe('');
    expect(await prediction(page).innerText()).toMatch(/calm\s+98\.1 %\s+alarm\s+1\.9 %/);
    await page.getByRole('button', { name: 'Next bag' }).click();
    await page.getByText('2 of 2').waitFor();
    await explained(page);
    expect(await prediction(page).innerText()).toMatch(/calm\s+4\.9 %\s+alarm\s+95\.1 %/);
    // Instances 0 and 3 raise the alarm, 1 and 4 lower it; see tests/data.
    const alarm = (await scores(page)).map((r) => r.scores[1]!);
    expect(alarm.map(Math.sign)).toEqual([1, -1, alarm[2]! < 0 ? -1 : 1, 1, -1]);
    const [r, g] = await colour(page, 0, 1);
    expect(g, `rgb of instance 0 is ${r}, ${g}`).toBeGreaterThan(r + 40);
    // Known answers: without instance 0 the model says .4256 calm and .5744 alarm.
    await pick(page, 0);
    await page.keyboard.press('Delete');
    await page.getByText('With 1 of 5 instances removed').waitFor();
    expect(await prediction(page).innerText()).toMatch(
      /calm\s+42\.6 %\s+was 4\.9 %\s+alarm\s+57\.4 %\s+was 95\.1 %/,
    );
  },
);

test('a model and its bag, dropped together, are explained by One Removed with known answers', async () => {
  await drop(page, [
    { name: 'attention4.onnx', bytes: attention4() },
    { name: 'two_bags.csv', bytes: twoBags() },
  ]);
  await page.getByText('1 of 2', { exact: true }).waitFor();
  await page.getByLabel(/^How to score /).selectOption('one_removed');
  await page.getByText('One Removed:').or(page.getByText('One Removed,')).waitFor();
  await explained(page);
  // 0.98061 - 0.96038 and so on, from ONNX Runtime.
  expect((await scores(page)).map((r) => r.scores[0])).toEqual([0.02, -0.003, -0.011, 0.007]);
});

// The drawing and the measurement of trust, which begins when the map stands, are not counted.
test('a dropped file becomes a map in two questions', async () => {
  await drop(page, [digits()]);
  await page.locator('.zones').getByText('own.onnx').waitFor();
  const bags = { name: 'own.npz', bytes: readFileSync(data('../../../examples/digits/bags.npz')) };
  const messages = await sent(page, async () => {
    await drop(page, [bags]);
    await page.getByText('own.npz', { exact: true }).waitFor();
    await explained(page);
  });
  const asked = messages.filter((m) => m.kind !== 'explain' || !m.body.trust).map((m) => m.kind);
  const apart = ['draw', 'release', 'cancel', 'taskResult'];
  // The last question is what the bag loses without the selected instance, asked once the map is
  // there.
  expect(asked.filter((kind) => !apart.includes(kind))).toEqual(['readBags', 'explain', 'loss']);
});

test('a model card, dropped with the model or after it, names the classes', async () => {
  const card = (classes: string[]) =>
    Buffer.from(JSON.stringify({ classes, output: 'logits', negative: 0 }));
  await drop(page, [
    { name: 'attention4.onnx', bytes: attention4() },
    { name: 'attention4.bagscope.json', bytes: card(['quiet', 'fire']) },
    { name: 'two_bags.csv', bytes: twoBags() },
  ]);
  await page.getByText('1 of 2', { exact: true }).waitFor();
  await explained(page);
  expect(await prediction(page).innerText()).toMatch(/quiet\s+98\.1 %\s+fire\s+1\.9 %/);
  await drop(page, [{ name: 'attention4.bagscope.json', bytes: card(['all well', 'flames']) }]);
  await expect
    .poll(() => prediction(page).innerText())
    .toMatch(/all well\s+98\.1 %\s+flames\s+1\.9 %/);
});

test(
  'a model in several files is opened when all are there, dropped together or one after ' +
    'another',
  async () => {
    const read = (name: string) => readFileSync(data(name));
    const model = { name: 'parts.onnx', bytes: read('attention4_parts.onnx') };
    const [W, v] = ['W', 'v'].map((name) => ({
      name: `${name}.bin`,
      bytes: read(`weights/${name}.bin`),
    }));
    const bag = { name: 'two_bags.csv', bytes: twoBags() };
    const said = () => page.getByRole('alert').innerText();
    const calm = /calm\s+98\.1 %\s+alarm\s+1\.9 %/;

    await drop(page, [model, bag]);
    await expect
      .poll(said)
      .toMatch(/"weights\/W\.bin", "weights\/v\.bin".*Drop them here.*digits\.onnx is still open/s);
    await drop(page, [v!]);
    await expect.poll(said).toMatch(/missing: "weights\/W\.bin"(?!,).*Drop it here/s);
    await drop(page, [W!]);
    await page.getByText('1 of 2', { exact: true }).waitFor();
    await explained(page);
    expect(await said()).toBe('');
    expect(await prediction(page).innerText()).toMatch(calm);

    await openMenu(page, 'Examples');
    await page.getByRole('button', { name: 'Open the bundled example' }).click();
    await page.getByText('digits.npz', { exact: true }).waitFor();
    await explained(page);
    await drop(page, [W!, bag, model, v!]);
    await page.getByText('1 of 2', { exact: true }).waitFor();
    await explained(page);
    expect(await prediction(page).innerText()).toMatch(calm);
    const card = JSON.stringify({ classes: ['quiet', 'fire'] });
    await drop(page, [{ name: 'parts.bagscope.json', bytes: Buffer.from(card) }]);
    await expect.poll(() => prediction(page).innerText()).toMatch(/quiet\s+98\.1 %\s+fire/);

    await drop(page, [model, { ...W!, bytes: W!.bytes.subarray(1) }, v!]);
    await expect.poll(said).toContain('cut short');
    expect(await said()).toContain('parts.onnx is still open');
  },
);

test('a broken model is refused in words, and the old one stays usable', async () => {
  const before = await prediction(page).innerText();
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  await drop(page, [{ name: 'broken.onnx', bytes: attention4().subarray(0, 300) }]);
  const alert = page.getByRole('alert');
  await expect.poll(() => alert.innerText()).toContain('digits.onnx is still open');
  // In sight, too.
  const sees = () => alert.evaluate((e) => e.getBoundingClientRect().bottom <= innerHeight);
  await expect.poll(sees).toBe(true);
  expect(await alert.evaluate((e) => e.getBoundingClientRect().top)).toBeGreaterThanOrEqual(0);
  expect(await prediction(page).innerText()).toBe(before);
  await drop(page, [{ name: 'noise.onnx', bytes: randomBytes(4000) }]);
  await expect.poll(() => page.getByRole('alert').innerText()).toContain('still open');
  await page.getByRole('button', { name: 'Close this message' }).click();
  await page.getByRole('button', { name: 'Explain', exact: true }).click();
  await explained(page);
  await pick(page, 0);
  await page.keyboard.press('Delete');
  await page.getByText('With 1 of 29 digits removed').waitFor();
});

test('a broken bag is refused with the place of the fault, and the old one stays', async () => {
  await drop(page, [{ name: 'bad.csv', bytes: Buffer.from('bag,f1,f2\na,1,2\na,1,oops\n') }]);
  await expect.poll(() => page.getByRole('alert').innerText()).toMatch(/bad\.csv.*(row|line) 3/s);
  expect(await page.getByRole('alert').innerText()).toContain('digits.npz is still open');
  expect(await scores(page)).toHaveLength(29);
});

test(
  'a model and then its bag, chosen without waiting, are both open; so is the model ' +
    'chosen after them',
  async () => {
    await page.getByLabel('Choose model').setInputFiles(data('attention4.onnx'));
    await page.getByLabel('Choose bag').setInputFiles(data('two_bags.csv'));
    await drop(page, [{ name: 'again.onnx', bytes: attention4() }]);
    await page.getByText('again.onnx', { exact: true }).waitFor();
    await page.getByText('1 of 2', { exact: true }).waitFor();
    await explained(page);
    expect(await prediction(page).innerText()).toMatch(/calm\s+98\.1 %/);
    expect(await page.getByRole('alert').innerText()).toBe('');
  },
);

test(
  'a set whose first bag is broken changes nothing; a broken bag further on is not gone ' + 'to',
  async () => {
    await drop(page, [
      { name: 'attention4.onnx', bytes: attention4() },
      { name: 'two_bags.csv', bytes: twoBags() },
    ]);
    await page.getByText('1 of 2', { exact: true }).waitFor();
    await explained(page);
    await drop(page, [
      { name: 'broken.npy', bytes: npy('<f4', [2, 4], Float32Array.of(NaN, 1, 2, 3, 4, 5, 6, 7)) },
    ]);
    await expect
      .poll(() => page.getByRole('alert').innerText())
      .toMatch(/NaN.*two_bags\.csv is still open/s);
    await page.getByText('1 of 2', { exact: true }).waitFor();
    expect(await page.getByText('broken.npy', { exact: true }).count()).toBe(0);
    const instances = Float32Array.from({ length: 32 }, (_, i) => (i === 17 ? NaN : i % 5));
    const four = stored([
      ['instances.npy', npy('<f4', [8, 4], instances)],
      ['offsets.npy', npy('<i8', [5], BigInt64Array.of(0n, 2n, 4n, 6n, 8n))],
    ]);
    await drop(page, [{ name: 'four.npz', bytes: four }]);
    await page.getByText('1 of 4').waitFor();
    await explained(page);
    const menu = page.getByLabel('Bag', { exact: true });
    await menu.selectOption('2');
    await expect.poll(() => page.getByRole('alert').innerText()).toMatch(/NaN.*stays open/s);
    await expect.poll(() => menu.inputValue()).toBe('0');
    await menu.selectOption('3');
    await page.getByText('4 of 4').waitFor();
  },
);

test('the rows of a large bag come a thousand at a time', async () => {
  const values = Float32Array.from({ length: 4 * 1500 }, (_, i) => ((i * 7919) % 100) / 100);
  await drop(page, [
    { name: 'attention4.onnx', bytes: attention4() },
    { name: 'large.npy', bytes: npy('<f4', [1500, 4], values) },
  ]);
  await page.getByText('1\u202f500 instances, numbered').waitFor();
  await explained(page);
  const rows = page.locator('tbody tr');
  expect(await rows.count()).toBe(200);
  await page.getByRole('button', { name: '1\u202f000 more rows' }).click();
  expect(await rows.count()).toBe(1200);
  await page.getByRole('button', { name: '300 more rows' }).click();
  expect(await rows.count()).toBe(1500);
  await page.getByRole('button', { name: 'Only the first 200 rows' }).click();
  expect(await rows.count()).toBe(200);
  await chooseMILLI(page);
  await page.getByText(/R² is optimistic/).waitFor();
});

test(
  'a model whose bag is broken is open with the old bag, and the fault of the bag stays ' + 'told',
  async () => {
    await drop(page, [
      { name: 'attention4.onnx', bytes: attention4() },
      { name: 'two_bags.csv', bytes: twoBags() },
    ]);
    await page.getByText('1 of 2', { exact: true }).waitFor();
    await drop(page, [
      { name: 'again.onnx', bytes: attention4() },
      { name: 'bad.npz', bytes: Buffer.from('PK') },
    ]);
    await page.getByText('again.onnx', { exact: true }).waitFor();
    await explained(page);
    expect(await page.getByRole('alert').innerText()).toContain('two_bags.csv is still open');
    expect(await prediction(page).innerText()).toMatch(/calm\s+98\.1 %/);
  },
);

test('no request is made while files are opened and explained, and none can be', async () => {
  const loaded = seen.requests.length;
  expect(loaded).toBeGreaterThan(3);
  await drop(page, [
    { name: 'attention4.onnx', bytes: attention4() },
    { name: 'two_bags.csv', bytes: twoBags() },
  ]);
  await page.getByText('1 of 2', { exact: true }).waitFor();
  await explained(page);
  await page.getByLabel(/^How to score /).selectOption('all');
  await page.getByRole('group', { name: 'Method drawn' }).waitFor();
  await openMenu(page, 'Examples');
  await page.getByRole('button', { name: 'Open the bundled example' }).click();
  await page.getByText('1 of 6').waitFor();
  await openMenu(page, 'Save');
  await page.getByRole('button', { name: 'Save PNG' }).click();
  const made = seen.requests.slice(loaded).filter((url) => !url.startsWith('blob:'));
  expect(made).toEqual([]);
  expect(seen.requests.every((url) => url.startsWith(site.url) || url.startsWith('blob:'))).toBe(
    true,
  );
  const answer = await page.evaluate(
    (url) =>
      fetch(url).then(
        () => 'allowed',
        () => 'refused',
      ),
    site.url + 'example/model.onnx',
  );
  expect(answer).toBe('refused');
});

test('the page works after its host is gone', async () => {
  await page.context().setOffline(true);
  await page.getByLabel(/^How to score /).selectOption('guided_lime');
  await page.getByText('Guided LIME:').waitFor();
  await page.context().setOffline(false);
});

test('one picture is cut into patches, several are an instance each', async () => {
  const quarters = grey(56, 56, (x, y) => (x < 28 === y < 28 ? 250 : 10));
  await drop(page, [digits(), { name: 'quarters.png', bytes: quarters }]);
  // The model takes 28 by 28 pixels, so that four patches fit; at a stride of 14 nine do.
  await page.getByText('4 digits of 1 × 28 × 28').waitFor();
  await explained(page);
  expect(new Set((await cells(page)).map(([i]) => i)).size).toBe(4);
  await page.getByLabel('Side', { exact: true }).fill('28');
  await page.getByLabel('Stride').fill('14');
  await page.getByRole('button', { name: 'Cut again' }).click();
  await page.getByText('9 digits of 1 × 28 × 28').waitFor();
  await page.getByLabel('Side', { exact: true }).fill('100');
  await page.getByRole('button', { name: 'Cut again' }).click();
  await expect.poll(() => page.getByRole('alert').innerText()).toContain('quarters.png');
  await drop(page, [
    { name: 'a.png', bytes: grey(28, 28, () => 30) },
    { name: 'b.png', bytes: grey(28, 28, (x) => (x > 10 && x < 16 ? 240 : 0)) },
  ]);
  await page.getByText('2 digits of 1 × 28 × 28').waitFor();
});

test('the picture is drawn again when the window grows narrow', async () => {
  const wide = await cells(page);
  await page.setViewportSize({ width: 700, height: 900 });
  await expect.poll(() => cells(page)).not.toEqual(wide);
  expect((await cells(page)).length).toBe(wide.length);
});

// The wrong setting stays, so this test is the last.
test('a wrong setting is named beside its field, and nothing is lost', async () => {
  await chooseMILLI(page);
  const before = await scores(page);
  await page.getByLabel('Alpha').fill('7');
  await page.getByLabel('Alpha').press('Enter');
  await page.getByText('must be below 1', { exact: true }).waitFor();
  await expect.poll(() => page.getByRole('alert').innerText()).toContain('Alpha: must be below 1.');
  expect(await scores(page)).toEqual(before);
});

/** A .npy file. */
function npy(type: string, shape: number[], values: Float32Array | BigInt64Array): Buffer {
  const about = `{'descr': '${type}', 'fortran_order': False, 'shape': (${shape.join(', ')},), }`;
  const header = about.padEnd(117) + '\n';
  const head = Buffer.from([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, header.length, 0]);
  return Buffer.concat([head, Buffer.from(header), Buffer.from(values.buffer)]);
}
