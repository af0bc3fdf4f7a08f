// The bundled bags under each network that an address may name: explained in place of the first,
// sealed like it, linked from it.
import { expect, test } from 'vitest';
import { digits, networks, tissue } from '../../src/look/open/networks';
import { b, site } from './site';
import { explained, openMenu, prediction, scores, visit } from './page';

const keysOf = (bags: typeof digits) => networks.filter((n) => n.bags === bags).map((n) => n.key);

test.each(keysOf(digits).filter((key) => key !== 'embedding'))(
  '%s is opened by its address, and nothing is asked for once it is',
  async (key) => {
    const { page, requests, complaints } = await visit(b, `${site.look}?example=${key}`);
    const models = (asked: string[]) => asked.filter((url) => url.endsWith('.onnx'));
    expect(models(requests)).toHaveLength(1);
    expect(models(requests)[0]).toMatch(new RegExp(`/assets/${key}-[\\w-]{8}\\.onnx$`));
    await page.getByText(`${key}.onnx`, { exact: true }).waitFor();
    await page.getByRole('heading', { name: 'The model predicts “an 8 and a 9”' }).waitFor();
    // What argues most against a bag without 8 and 9 are its 8s and 9s.
    const rows = (await scores(page)).sort((a, z) => a.scores[0]! - z.scores[0]!);
    expect(rows).toHaveLength(29);
    const least = rows.slice(0, 4).map((row) => row.instance);
    expect(least.sort((a, z) => a - z)).toEqual([15, 16, 17, 21]);

    const before = requests.length;
    await page.getByRole('button', { name: 'Remove digit 16', exact: true }).click();
    await page.getByText('With 1 of 29 digits removed').waitFor();
    await expect.poll(async () => (await scores(page))[15]!.scores.every(Number.isNaN)).toBe(true);
    expect(requests.slice(before).filter((url) => !url.startsWith('blob:'))).toEqual([]);
    expect(complaints).toEqual([]);
    await page.context().close();
  },
);

test('a vector of two 8s: the 8s of a bag make it alike, and its 9s do not', async () => {
  const page = await b.newPage();
  await page.goto(`${site.look}?example=embedding#bag=1`);
  const form = page.getByRole('form', { name: 'Target of the likeness' });
  await form.getByText('This model returns a vector. Alike to what?').waitFor();
  expect(await page.getByText('A setting is invalid').count()).toBe(0);
  await form.getByRole('button', { name: 'Alike to this bag' }).click();
  await form.getByText('Scores are of the likeness to bag 1: two 8s.').waitFor();
  await explained(page);
  await page.getByRole('combobox', { name: 'Bag', exact: true }).selectOption({ index: 0 });
  await page.getByRole('heading', { name: /^Likeness to “bag 1: two 8s”.*0\.519/ }).waitFor();
  await explained(page);
  const of = await scores(page);
  const score = (i: number) => of.find(({ instance }) => instance === i)!.scores[0]!;
  expect([16, 17].map(score).every((s) => s > 0.3)).toBe(true);
  expect([15, 21].map(score).every((s) => s < -0.04)).toBe(true);
  await page.close();
});

test.each(keysOf(tissue))('%s opens a slide, and few patches of it say “a gland”', async (key) => {
  const { page, requests, complaints } = await visit(b, `${site.look}?example=${key}`);
  await page.getByText(`${key}.onnx`, { exact: true }).waitFor();
  await page.getByText('slide.png', { exact: true }).waitFor();
  await page.getByRole('heading', { name: 'The model predicts “a gland”' }).waitFor();
  const all = page.getByRole('button', { name: 'more rows' });
  while (await all.isVisible()) await all.click();
  const support = (await scores(page)).map((row) => row.scores[1]!);
  expect(support).toHaveLength(310);
  const loud = support.filter((s) => s > Math.max(...support) / 2);
  expect(loud.length).toBeGreaterThan(3);
  expect(loud.length).toBeLessThan(support.length / 4);
  expect(requests.filter((url) => url.includes('/example/bags.npz'))).toEqual([]);

  const before = requests.length;
  await page.getByRole('button', { name: 'Remove patch 1', exact: true }).click();
  await page.getByText('With 1 of 310 patches removed').waitFor();
  expect(requests.slice(before).filter((url) => !url.startsWith('blob:'))).toEqual([]);
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('the series opens as slices, and those with the nodule are the strongest', async () => {
  const { page, requests, complaints } = await visit(b, `${site.look}?example=series`);
  await page.getByText('series.onnx', { exact: true }).waitFor();
  await page.getByText('series.zip', { exact: true }).waitFor();
  await page.getByRole('heading', { name: 'The model predicts “a nodule”' }).waitFor();
  const rows = await scores(page);
  expect(rows).toHaveLength(28);
  const strongest = rows.sort((a, z) => z.scores[1]! - a.scores[1]!).slice(0, 3);
  for (const { instance } of strongest) {
    expect(instance).toBeGreaterThanOrEqual(15);
    expect(instance).toBeLessThanOrEqual(21);
  }
  const before = requests.length;
  await page.getByRole('button', { name: 'Remove slice 19', exact: true }).click();
  await page.getByText('With 1 of 28 slices removed').waitFor();
  expect(requests.slice(before).filter((url) => !url.startsWith('blob:'))).toEqual([]);
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('from one network to another with the bag and what is asked of it, and back', async () => {
  const { page } = await visit(b, `${site.look}#method=one_removed&bag=4`);
  const list = page.getByRole('navigation', { name: 'Open the bundled bags with another network' });
  const current = (name: string) =>
    list.locator('[aria-current=page]').getByText(name, { exact: true });
  await openMenu(page, 'Examples');
  await current('The first').waitFor();
  await page.getByRole('heading', { name: 'The model predicts “an 8”' }).waitFor();
  const there = async (name: string) => {
    await list.getByRole('link', { name, exact: true }).press('Enter');
    await page.waitForURL(name === 'The first' ? /look\/#/ : /\?example=/);
    await openMenu(page, 'Examples');
    await current(name).waitFor();
    await page.getByText('5 of 6').waitFor();
    await page.locator('main[data-sealed]').waitFor();
    await explained(page);
    expect(page.url()).toMatch(/#method=one_removed&bag=4$/);
  };
  await there('MI-Net');
  await page.getByRole('heading', { name: 'The model predicts “an 8 and a 9”' }).waitFor();
  await there('MI-GNN');
  const at = page.url();
  const said = await prediction(page).innerText();
  await there('The first');
  await page.getByRole('heading', { name: 'The model predicts “an 8”' }).waitFor();
  expect(new URL(page.url()).search).toBe('');
  await page.goBack();
  await page.getByText('mi-gnn.onnx', { exact: true }).waitFor();
  await explained(page);
  expect(page.url()).toBe(at);
  expect(await prediction(page).innerText()).toBe(said);
  await page.context().close();
});

test(
  'from the digits to the slide, without what was asked of them, and back to it after an ' +
    'empty start',
  async () => {
    const { page } = await visit(b, `${site.look}#method=one_removed&bag=4`);
    await openMenu(page, 'Examples');
    await page
      .getByRole('navigation', { name: 'A drawn slide of tissue' })
      .getByRole('link', { name: 'MI-Attn' })
      .click();
    await page.getByRole('heading', { name: 'The model predicts “a gland”' }).waitFor();
    await page.locator('main[data-sealed]').waitFor();
    await explained(page);
    expect(new URL(page.url()).search).toBe('?example=tissue');
    await page.getByText(/^Consensus: version 2, seed 0\. /).waitFor();
    await openMenu(page, 'Examples');
    await page.getByRole('button', { name: 'Start empty' }).click();
    await page.getByText('Open a model and a bag: drop').waitFor();
    await page.getByRole('button', { name: 'Tissue' }).click();
    await explained(page);
    await page.getByText('slide.png', { exact: true }).waitFor();
    await page.context().close();
  },
);

test('the bundled example is that of the address, and a name that nobody knows is the first', async () => {
  const { page } = await visit(b, `${site.look}?example=mi-attn#bag=2`);
  await page.getByText('3 of 6').waitFor();
  await openMenu(page, 'Examples');
  await page.getByRole('button', { name: 'Open the bundled example' }).click();
  await page.getByText('1 of 6').waitFor();
  await explained(page);
  await page.getByText('mi-attn.onnx', { exact: true }).waitFor();
  expect(new URL(page.url()).search).toBe('?example=mi-attn');
  await page.context().close();

  const unknown = await visit(b, `${site.look}?example=nonsense`);
  await unknown.page.getByText('digits.onnx', { exact: true }).waitFor();
  await unknown.page.context().close();
});
