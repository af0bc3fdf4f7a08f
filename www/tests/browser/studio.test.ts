// What is done with an explanation: compared, judged, checked beforehand, for many bags, saved,
// replayed, forgotten.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { page, saved, seen, turnTo } from './explorer';
import { b, site } from './site';
import {
  data,
  digits,
  dist,
  drop,
  explained,
  grey,
  number,
  openMenu,
  prediction,
  scores,
  visit,
} from './page';

const read = (name: string) => ({
  name: name.replace(/^.*\//, ''),
  bytes: readFileSync(data(name)),
});
const alerted = () => page.getByRole('alert').innerText();

test(
  'a second method, and a class of it, stand beside the first with what is pointed at ' +
    'lit in both',
  async () => {
    await drop(page, [read('attention4.onnx'), read('files/clam.h5')]);
    await page.getByText('12 patches of 4').waitFor();
    await explained(page);
    await page.getByLabel('Compare with', { exact: true }).selectOption('one_removed');
    await page.getByText('One Removed: “', { exact: false }).first().waitFor();
    await expect.poll(() => page.locator('canvas[data-scale]').count()).toBe(2);
    await explained(page);
    await page.getByLabel('Class to compare with').selectOption('alarm');
    await page.getByText('One Removed: “alarm”').first().waitFor();
    expect(page.url()).toContain('against=one_removed.1');
    // Zooming one zooms the other.
    await page.getByRole('button', { name: 'Zoom in' }).click();
    const scales = () =>
      page
        .locator('canvas[data-scale]')
        .evaluateAll((all) => all.map((c) => (c as HTMLElement).dataset.scale));
    expect(new Set(await scales()).size).toBe(1);
    const again = await visit(b, page.url());
    expect(await again.page.getByLabel('Compare with', { exact: true }).inputValue()).toBe(
      'one_removed',
    );
    await again.page.context().close();
  },
);

test('faithfulness is measured on demand: a curve, AOPC-R with its error, R²', async () => {
  await page.getByRole('button', { name: 'Measure faithfulness' }).click();
  await page
    .getByRole('img', {
      name: /^The prediction of “an 8 and a 9” while digits are removed by Consensus: AOPC-R/,
    })
    .waitFor();
  const rows = await page
    .getByRole('region', { name: 'Faithfulness of all explanations' })
    .locator('tbody tr')
    .allInnerTexts();
  expect(rows).toHaveLength(4);
  // Three curves, each of them drawn.
  const curves = await page
    .locator('figure svg[role="img"] path:not(.grid)')
    .evaluateAll((all) => all.map((p) => p.getAttribute('d')!.length));
  expect(curves).toHaveLength(3);
  for (const length of curves) expect(length).toBeGreaterThan(100);
  const last = rows[3]!.split('\t');
  expect(last[1]).toBe('an 8 and a 9');
  expect(number(last[2]!)).toBeGreaterThan(0.2);
  expect(last[3]).toMatch(/^± 0\.\d+/);
  // The same figures as the package gives in Node.
  const { load } = (await import(
    new URL('../../../wasm/npm/dist/node.js', import.meta.url).href
  )) as {
    load(): Promise<import('bagscope').Engine>;
  };
  const engine = await load();
  const model = await engine.open(readFileSync(data('../../../examples/digits/model.onnx')));
  const bag = await engine.bag(readFileSync(data('../../../examples/digits/bags.npz')), {
    name: 'bags.npz',
    model,
  });
  const report = await model.explain(bag, { method: 'consensus', seed: 0 });
  const judged = await model.judge(bag, report, { metrics: ['aopc_r'] });
  engine.close();
  expect(number(last[2]!)).toBeCloseTo(judged.judgements[3]!.values.aopc_r!, 3);
  // Another report has no figures yet.
  await page.getByLabel(/^How to score /).selectOption('single');
  await page.getByRole('button', { name: 'Measure faithfulness' }).waitFor();
});

test(
  'before anything is explained the page says what fits, what is alone, how the model ' +
    'pools and what it costs',
  async () => {
    const panel = page.locator('section[aria-labelledby="preflight-title"]');
    await expect.poll(() => panel.innerText()).toContain('mixes digits: attention');
    const text = await panel.innerText();
    for (const words of [
      'They fit.',
      '29 digits, each 1 × 28 × 28',
      'axis 0 is the axis',
      'on each digit alone: Conv ×2',
      'for all coalitions together',
      'Memory: 91 kB',
      'the method Inherent',
    ])
      expect(text).toContain(words);
    expect(text).toMatch(/up to 1\u202f?\d{3} coalitions/);
    await drop(page, [read('attention4.onnx')]);
    await expect
      .poll(() => panel.innerText())
      .toContain('The model takes instances of 4. Open a bag');
    await drop(page, [digits(), read('../../../examples/digits/bags.npz')]);
    await page.getByText('own.onnx', { exact: true }).waitFor();
    await explained(page);
    await drop(page, [read('attention4.onnx')]);
    await expect.poll(() => panel.innerText()).toContain('They do not fit.');
    await expect.poll(alerted).toContain('Both stay open');
  },
);

test('many bags become a table that leads to each, as CSV and JSON; it can be cancelled', async () => {
  await page.getByRole('button', { name: 'Explain all 6 bags' }).click();
  const rows = page.getByRole('region', { name: 'Bags and predictions' }).locator('tbody tr');
  await page.getByRole('button', { name: 'Explain all 6 bags' }).waitFor();
  expect(await rows.count()).toBe(6);
  expect(await rows.nth(0).innerText()).toMatch(/two 8s and two 9s.*29.*an 8 and a 9 > 99\.9 %/s);
  const csv = (await saved('Save table as CSV')).bytes.toString().trim().split('\n');
  expect(csv).toHaveLength(7);
  expect(csv[0]).toContain('bag,file,index,instances,class,class_name,p neither 8 nor 9');
  const json = JSON.parse((await saved('Save table as JSON')).bytes.toString());
  expect(json.bags).toHaveLength(6);
  const best = json.bags[2].top[0].instance as number;
  await rows.nth(2).getByRole('button').click();
  await page.getByText('3 of 6').waitFor();
  await explained(page);
  const shown = await scores(page);
  const column = json.bags[2].class as number;
  expect(shown.reduce((a, r) => (r.scores[column]! > a.scores[column]! ? r : a)).instance).toBe(
    best,
  );

  await page
    .getByLabel('Choose files …')
    .setInputFiles([data('../../../examples/digits/bags.npz'), data('two_bags.csv')]);
  await expect.poll(() => rows.count()).toBe(7);
  expect(await rows.nth(6).innerText()).toMatch(/two_bags\.csv.*(28|shape)/s);
  await page.getByLabel(/^How to score /).selectOption('milli');
  await page.getByLabel('Samples').fill('400000');
  await page.getByRole('button', { name: 'Explain all 6 bags' }).click();
  await page.getByText('0 of 6').waitFor();
  await page
    .locator('section[aria-labelledby="batch-title"]')
    .getByRole('button', { name: 'Stop' })
    .click();
  await page.getByRole('button', { name: 'Explain all 6 bags' }).waitFor();
});

test('several bag files dropped together open the first, and the table offers all', async () => {
  const two = { name: 'more.csv', bytes: readFileSync(data('two_bags.csv')) };
  await drop(page, [read('attention4.onnx'), read('two_bags.csv'), two]);
  await page.getByText('1 of 2', { exact: true }).waitFor();
  await explained(page);
  await page.getByRole('button', { name: 'Explain all 2 files dropped' }).click();
  const rows = page.getByRole('region', { name: 'Bags and predictions' }).locator('tbody tr');
  await expect.poll(() => rows.count()).toBe(4);
  await rows.nth(3).getByRole('button').click();
  await page.getByText('2 of 2').waitFor();
  await page.getByText('more.csv').filter({ visible: true }).first().waitFor();
});

test(
  'a PNG holds the picture at its size and the legend; SVG holds every patch with its ' +
    'score in words',
  async () => {
    const picture = grey(300, 180, (x, y) => (x * 3 + y * 5) % 256);
    await drop(page, [digits(), { name: 'slope.png', bytes: picture }]);
    await page.getByText('60 digits of 1 × 28 × 28').waitFor();
    await explained(page);
    const png = (await saved('Save PNG')).bytes;
    // The picture at its full size, and the legend below it.
    expect(png.readUInt32BE(16)).toBe(300);
    expect(png.readUInt32BE(20)).toBeGreaterThan(180 + 30);
    const svg = (await saved('Save SVG')).bytes.toString();
    expect(svg.match(/<rect /g)).toHaveLength(60);
    // Each with its sign, for those who distinguish no hues.
    const signs = svg.match(/<path d="M[^v"]*?(v[^"]*)?" stroke="#[0-9a-f]+"/g)!;
    const scored = svg.match(/<rect [^>]*><title>digit \d+ (supports|refutes) /g)!;
    const drawn = scored.filter((rect) => !rect.includes('fill-opacity="0"'));
    const plus = (list: string[], what: RegExp) => list.filter((one) => what.test(one)).length;
    expect(drawn.length).toBeGreaterThan(30);
    expect(signs).toHaveLength(drawn.length);
    expect(plus(signs, /v/)).toBe(plus(drawn, /supports/));
    expect(svg).toMatch(/<title>digit \d+ (supports|refutes) “[^”]+” by/);
    // The legend, for eyes and for readers of the file.
    expect(svg).toMatch(
      /<desc>Colours from −[\d.]+ \(refutes\) to \+[\d.]+ \(supports\)\. log-odds, one scale/,
    );
    expect(svg).toMatch(/<text [^>]*>log-odds, one scale for 4 classes/);
    expect(svg).toContain('href="data:image/jpeg;base64,');
    const names = await page.evaluate((text) => {
      const made = new DOMParser().parseFromString(text, 'image/svg+xml');
      return [made.documentElement.tagName, made.querySelector('parsererror')?.textContent ?? ''];
    }, svg);
    expect(names).toEqual(['svg', '']);
  },
);

test('a report is one file that shows everything from a disk, without a script or a request', async () => {
  const { name, bytes } = await saved('Save report');
  expect(name).toMatch(/\.html$/);
  const text = bytes.toString();
  expect(text).not.toMatch(/<script|http:|https:/);
  const context = await b.newContext({ javaScriptEnabled: false });
  const report = await context.newPage();
  const asked: string[] = [];
  context.on('request', (r) => void asked.push(r.url()));
  const path = `/${process.env.TMPDIR ?? 'tmp'}/bagscope-report-${process.pid}.html`.replace(
    '//',
    '/',
  );
  const { writeFileSync, rmSync } = await import('node:fs');
  writeFileSync(path, bytes);
  try {
    await report.goto(`file://${path}`);
    await report.getByRole('heading', { name: 'Prediction' }).waitFor();
    expect(await report.locator('table').last().locator('tr').count()).toBe(30);
    expect(await report.locator('.legend').innerText()).toMatch(
      /−[\d.]+\s*\+[\d.]+; log-odds, one scale for 4 classes; \d+ of 116 do not stand out from 0/,
    );
    expect(await report.locator('img').first().boundingBox()).toMatchObject({
      width: expect.any(Number),
    });
    expect(await report.getByText('is not a diagnosis').count()).toBe(1);
    expect(
      await report
        .getByText('e1f9726fdfc3bdfb46a4c1efb31f2116fb5566c53bf5bfbb362c31240174e2f5')
        .count(),
    ).toBe(1);
    expect(asked.filter((url) => !url.startsWith('data:'))).toEqual([`file://${path}`]);
  } finally {
    rmSync(path);
    await context.close();
  }
});

test('a replay file brings the explanation back, and says when model or data are others', async () => {
  await drop(page, [read('attention4.onnx'), read('two_bags.csv')]);
  await page.getByText('1 of 2', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Next bag' }).click();
  await page.getByText('2 of 2').waitFor();
  await page.getByLabel(/^How to score /).selectOption('random_shap');
  await page.getByText('More settings').click();
  await page.getByLabel('Seed').fill('7');
  await page.getByLabel('Seed').press('Enter');
  await page.getByText('seed 7').waitFor();
  await explained(page);
  const before = await scores(page);
  const { name, bytes } = await saved('Save replay file');
  expect(name).toMatch(/\.replay\.json$/);
  const replay = JSON.parse(bytes.toString());
  expect(replay.data[0]).toMatchObject({
    name: 'two_bags.csv',
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
  });

  const other = await visit(b, site.look);
  await page.context().close();
  turnTo(other.page);
  // Alone it says what it needs; with model and data it is the same to the last digit shown.
  await drop(page, [{ name, bytes }]);
  await expect
    .poll(alerted)
    .toContain('Drop its model, attention4.onnx and its data, two_bags.csv');
  await drop(page, [read('attention4.onnx'), read('two_bags.csv')]);
  await page.getByText('are the same (SHA-256)').first().waitFor();
  await page.getByText('2 of 2').waitFor();
  await explained(page);
  expect(await scores(page)).toEqual(before);
  // Other data under the same name.
  const changed = readFileSync(data('two_bags.csv'), 'utf8').replace('1.4', '1.5');
  await drop(page, [
    { name, bytes },
    { name: 'two_bags.csv', bytes: Buffer.from(changed) },
    read('attention4.onnx'),
  ]);
  await expect.poll(alerted).toContain('has another SHA-256 than two_bags.csv');
  await drop(page, [{ name: 'odd.json', bytes: Buffer.from('{"format":"bagscope-replay"}') }]);
  await expect.poll(alerted).toContain('incomplete replay file');

  // Of a name that fills the file, the message has the beginning; an error is not replaced.
  const long = { ...replay, model: { name: 'long'.repeat(1e5), sha256: null } };
  await drop(page, [{ name: 'long.json', bytes: Buffer.from(JSON.stringify(long)) }]);
  await expect.poll(alerted).toContain('long…');
  expect((await alerted()).length).toBeLessThan(500);
  await drop(page, [{ name: 'cut.replay.json', bytes: bytes.subarray(0, -9) }]);
  await expect.poll(alerted).toContain('incomplete replay file');
  const wrong = { ...replay, card: '{"classes":["one"]}' };
  await drop(page, [
    { name: 'wrong.json', bytes: Buffer.from(JSON.stringify(wrong)) },
    { name: 'attention4.onnx', bytes: readFileSync(data('attention4.onnx')) },
  ]);
  await expect.poll(alerted).toContain('classes');
});

test('requests are counted in sight, and a refused one is told', async () => {
  const counter = page.locator('[data-since]');
  await expect
    .poll(() => counter.innerText())
    .toMatch(/^\d+ requests loaded the page; none since\.$/);
  const counted = Number((await counter.innerText()).match(/^\d+/)![0]);
  expect(counted).toBe(
    seen.requests.filter((url) => !url.startsWith('blob:') && !url.startsWith('data:')).length,
  );
  await drop(page, [read('attention4.onnx'), read('files/clam.h5')]);
  await page.getByText('12 patches of 4').waitFor();
  await explained(page);
  expect(await counter.innerText()).toContain('none since');
  await page.evaluate((url) => fetch(url).catch(() => {}), site.url);
  await expect.poll(() => counter.innerText()).toContain('refused 1 attempt');
});
