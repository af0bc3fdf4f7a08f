// Tiles that somebody has cut, with their places in their names: as a folder, and as an archive of it.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { violations } from './article';
import { page, seen } from './explorer';
import { data, grey, scores, stored } from './page';

const form = () => page.getByRole('region', { name: 'Patches of the slide' });
const models = ['attention4.onnx', 'encoder4.onnx'].map(data);
let disk: string;
beforeAll(() => void (disk = mkdtempSync(path.join(tmpdir(), 'tiles-'))));
afterAll(() => rmSync(disk, { recursive: true }));

/** A tile of one brightness: edges do not say which of its neighbours is which. */
const tile = (i: number) => ({ bytes: grey(16, 16, () => 30 + 30 * i) });
/** Three columns and two rows of tiles. */
const tiles = (name: (column: number, row: number, i: number) => string) =>
  Array.from({ length: 6 }, (_, i) => ({ ...tile(i), name: name(i % 3, Math.floor(i / 3), i) }));
const idc = tiles((c, r, i) => `10253_idx5_x${16 * c}_y${16 * r}_class${i % 2}.png`);
const bare = tiles((c, r) => `${c}_${r}.png`);

/** Writes a folder of tiles, with a file in it that is none. */
function folder(name: string, files: typeof idc): string {
  const at = path.join(disk, name);
  mkdirSync(at);
  for (const { name, bytes } of files) writeFileSync(path.join(at, name), bytes);
  return at;
}

/** Drops files and folders of the disk, as the operating system does. */
async function dropPaths(...files: string[]): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  const box = (await page.locator('#main').boundingBox())!;
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await devtools.send('Input.dispatchDragEvent', {
      ...{ type, x, y },
      data: { items: [], files, dragOperationsMask: 1 },
    });
}

/** Encodes all patches, and returns their scores. */
async function encoded() {
  await expect.poll(() => form().locator('div[role=status]').innerText()).toMatch(/^6 patches/);
  await form().getByRole('button', { name: 'Encode', exact: true }).click();
  await page.locator('[data-map]').waitFor();
  await form().getByText('All 6 patches are encoded.').waitFor();
  return scores(page);
}

test('a folder of tiles is a slide, of which each tile is a patch with its label', async () => {
  const before = seen.requests.length;
  await dropPaths(folder('idc', idc), ...models);
  await form().getByText('encoder4.onnx').waitFor();
  const all = await encoded();
  expect(all).toHaveLength(6);
  await form()
    .getByText(
      'the names of the pictures state their places in pixels: ' +
        '10253_idx5_x0_y0_class0.png is at x 0 and y 0, of 16 x 16 pixels, with the label 0.',
    )
    .waitFor();
  await page
    .getByText(/Annotated: [01]\./)
    .first()
    .waitFor();
  // Its features lie on it.
  const [features] = await Promise.all([
    page.waitForEvent('download'),
    form().getByRole('button', { name: 'Save features' }).click(),
  ]);
  const h5 = path.join(disk, 'features.h5');
  await features.saveAs(h5);
  const lie = async () => {
    await dropPaths(h5);
    await expect.poll(() => form().count()).toBe(0);
    await page.locator('[data-map]').waitFor();
    expect(await scores(page)).toEqual(all);
  };
  await lie();
  // An archive of the folder is the same slide.
  const zip = path.join(disk, 'idc.zip');
  writeFileSync(zip, stored(idc.map(({ name, bytes }) => [`cut/${name}`, bytes])));
  await dropPaths(zip);
  await form()
    .getByText(/^idc\.zip: the names of the pictures state their places/)
    .waitFor();
  expect(await encoded()).toEqual(all);
  await lie();
  expect(seen.requests.length).toBe(before);
  expect(seen.complaints).toEqual([]);
});

test('names that do not say which number is x are asked about, with a picture of each way', async () => {
  await dropPaths(folder('bare', bare), ...models);
  const ways = page.getByRole('list', { name: 'What is right' }).getByRole('button');
  await ways.first().locator('canvas').waitFor();
  expect(await ways.count()).toBe(2);
  const sides = await ways
    .locator('canvas')
    .evaluateAll((all: HTMLCanvasElement[]) => all.map((c) => [c.width, c.height]));
  expect(sides).toEqual([
    [48, 32],
    [32, 48],
  ]);
  expect(await violations(page)).toEqual([]);
  await ways.nth(1).click();
  await form().getByText('encoder4.onnx').waitFor();
  expect(await encoded()).toHaveLength(6);
  await form()
    .getByText(/columns and rows of pictures: 0_0\.png is at x 0 and y 0/)
    .waitFor();
  expect(seen.complaints).toEqual([]);
});
