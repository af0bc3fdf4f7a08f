// Pictures and features with places: opened in every format, cut by a live grid, zoomed into,
// listed, taken apart.
import { readFileSync } from 'node:fs';
import { crc32, gunzipSync } from 'node:zlib';
import type { Engine } from 'bagscope';
import { beforeEach, describe, expect, test } from 'vitest';
import { page, seen, turnTo } from './explorer';
import { b, site } from './site';
import { long } from '../patience';
import { gif } from './gif';
import { tiff } from './tiff';
import {
  browser,
  cells,
  data,
  digits,
  dist,
  drop,
  explained,
  grey,
  pick,
  prediction,
  scores,
  visit,
  openMenu,
} from './page';

/** The same engine in Node. */
const node = new URL('../../../wasm/npm/dist/node.js', import.meta.url).href;

const file = (name: string) => ({ name, bytes: readFileSync(data(`files/${name}`)) });
const model = () => ({ name: 'attention4.onnx', bytes: readFileSync(data('attention4.onnx')) });
const scale = async () =>
  Number(await page.locator('canvas[data-scale]').first().getAttribute('data-scale'));
const alerted = () => page.getByRole('alert').innerText();

/** Colour of a pixel of an instance on the first canvas, by default in its middle. */
async function pixel(instance: number, across = 0.5, down = 0.5): Promise<number[]> {
  const [, , x, y, w, h] = (await cells(page)).find(([i]) => i === instance)!;
  return page
    .locator('canvas[data-scale]')
    .first()
    .evaluate(
      (c: HTMLCanvasElement, [px, py]) =>
        [...c.getContext('2d')!.getImageData(px!, py!, 1, 1).data].slice(0, 3),
      [x + w * across, y + h * down],
    );
}

describe('pictures', () => {
  test.each([
    'picture.png',
    'picture.webp',
    'picture.jpg',
    'plain.tif',
    'lzw.tif',
    'deflate.tif',
    'tiles.tif',
    'deep.tif',
  ])('%s is cut into the same patches', async (name) => {
    await drop(page, [digits(), file(name)]);
    // The model takes 28 pixels: two across, one down. The left one is bright, the right one dark.
    await page.getByText('2 digits of 1 × 28 × 28').waitFor();
    await explained(page);
    expect(await alerted()).toBe('');
    await openMenu(page, 'More');
    await page.getByLabel('Colour', { exact: true }).fill('0');
    await expect.poll(async () => (await pixel(0))[0]!).toBeGreaterThan(225);
    // In the middle of the right one lies the red square.
    await expect.poll(async () => (await pixel(1, 0.3, 0.9))[0]!).toBeLessThan(70);
    expect((await cells(page)).map(([i]) => i)).toEqual([0, 1]);
  });

  test('a float TIFF, a truncated one, and what is no picture are refused in words', async () => {
    await drop(page, [{ name: 'cut.tif', bytes: file('plain.tif').bytes.subarray(0, 900) }]);
    await expect.poll(alerted).toContain('cut.tif');
    await drop(page, [{ name: 'noise.webp', bytes: Buffer.from('RIFF no picture at all') }]);
    await expect.poll(alerted).toContain('not a picture that this browser can show');
    const huge = Buffer.from(file('picture.png').bytes);
    huge.writeUInt32BE(60_000, 16);
    await drop(page, [{ name: 'huge.png', bytes: huge }]);
    await expect.poll(alerted).toContain('60000 × 48 pixels; the limit is 11585 × 11585');
    expect(await alerted()).toContain('digits.npz is still open');
    await drop(page, [digits(), file('float.tif')]);
    // What has other numbers than colours is shown, and the form says why it is not cut.
    const refusal = page.locator('.wrong', { hasText: 'samples that are not whole numbers' });
    await refusal.waitFor();
  });

  const pyramid = () => ({
    name: 'pyramid.tif',
    bytes: gunzipSync(readFileSync(data('files/pyramid.tif.gz'))),
  });

  test(
    'of a pyramid that is too large a smaller level is shown, and patches are cut at ' +
      'full resolution',
    async () => {
      await drop(page, [
        { name: 'pixels.onnx', bytes: readFileSync(data('pixels.onnx')) },
        pyramid(),
      ]);
      // The model's card says 64 pixels every 500 of the 19200 × 14400.
      await page.getByText('1\u202f131 patches of 3 × 64 × 64').waitFor({ timeout: long });
      await page
        .getByText('it is shown with 640 × 480. Patches are cut at full resolution.')
        .waitFor();
      await page.locator('td.number').first().waitFor();
      await page.getByText('1\u202f131 of 1\u202f131 patches are used').waitFor();
      // The grid that is seen before a cut has the same units.
      await page.getByLabel('Stride').fill('1000');
      await page.getByText('300 of 300 patches are used').waitFor();
      // What is typed on the way to another number is refused before it is measured.
      await page.getByLabel('Stride').fill('10');
      await page.getByText('its grid has 2744676 patches, background included').waitFor();
      await page.getByLabel('Stride').fill('14.5');
      await page.getByText('must be whole numbers of at least 1').waitFor();
      await page.getByLabel('Stride').fill('1000');
      await page.getByText('300 of 300 patches are used').waitFor();
    },
  );

  test('a picture without levels that is too wide is shown smaller', async () => {
    await drop(page, [
      { name: 'pixels.onnx', bytes: readFileSync(data('pixels.onnx')) },
      { name: 'wide.tif', bytes: tiff(20_000, 640) },
    ]);
    await page.getByText('80 patches of 3 × 64 × 64').waitFor({ timeout: long });
    await page.getByText('it is shown with 10000 × 320.').waitFor();
  });

  test('a pyramid whose full level holds too many patches of the model’s size says so', async () => {
    await drop(page, [digits(), pyramid()]);
    await expect
      .poll(alerted)
      .toContain('pyramid.tif: an array of shape (352090, 1, 28, 28) is too large');
    await page.getByRole('button', { name: '29 pixels' }).waitFor();
  });

  test('the grid is seen on the picture before it is cut by', async () => {
    await drop(page, [
      digits(),
      { name: 'quarters.png', bytes: grey(112, 112, (x, y) => (x < 56 === y < 56 ? 250 : 10)) },
    ]);
    await page.getByText('16 digits of 1 × 28 × 28').waitFor();
    await page.getByText('16 of 16 patches are used').waitFor();
    await page.getByLabel('Background').fill('5');
    await page
      .getByText('All patches are background. Increase the background value, or set it to 0.')
      .waitFor();
    await page.getByLabel('Background').fill('0');
    await page.getByText('16 of 16 patches are used').waitFor();
    await page.getByLabel('Background').fill('200');
    // At once, without a cut: the bright quarters are background.
    await page.getByText('8 of 16 patches are used').waitFor();
    await page.getByText('The explanation is for the previous one').waitFor();
    await page.getByLabel('Stride').fill('14');
    await page.getByText(/\d+ of 49 patches are used/).waitFor();
    expect(await scores(page)).toHaveLength(16);
    await page.getByLabel('Side', { exact: true }).fill('500');
    await page.getByText('holds no patch of 500 x 500 pixels').waitFor();
    await page.getByLabel('Side', { exact: true }).fill('28');
    await page.getByLabel('Stride').fill('28');
    await page.getByText('8 of 16 patches are used').waitFor();
    await page.getByRole('button', { name: 'Cut again' }).click();
    await page.getByText('8 digits of 1 × 28 × 28').waitFor();
    await explained(page);
    expect(await scores(page)).toHaveLength(8);
  });

  const slope = (x: number, y: number) => (x * 7 + y * 13) % 256;
  /** Says that the picture is to be turned by 90 degrees, which the engine and the page ignore. */
  const turned = ({ bytes }: { bytes: Buffer }) => {
    const exif = Buffer.from('ffe10022457869660000' + '49492a0008000000' + '0100', 'hex');
    const entry = Buffer.from('120103000100000006000000' + '00000000', 'hex');
    return Buffer.concat([bytes.subarray(0, 2), exif, entry, bytes.subarray(2)]);
  };
  /** A grey PNG file with one more chunk in front of its pixels. */
  const chunked = (name: string, hex: string) => {
    const png = grey(90, 61, slope);
    const named = Buffer.concat([Buffer.from(name), Buffer.from(hex, 'hex')]);
    const chunk = Buffer.alloc(named.length + 8);
    chunk.writeUInt32BE(named.length - 4);
    named.copy(chunk, 4);
    chunk.writeUInt32BE(crc32(named), named.length + 4);
    return Buffer.concat([png.subarray(0, 33), chunk, png.subarray(33)]);
  };
  const sideways = '49492a0008000000' + '0100' + '120103000100000006000000' + '00000000';
  test.each([
    { name: 'slope.png', bytes: grey(90, 61, slope), patches: 6 },
    { name: 'turned.png', bytes: chunked('eXIf', sideways), patches: 6 },
    { name: 'holes.png', bytes: chunked('tRNS', '0032'), patches: 6 },
    { name: 'slope.gif', bytes: gif(90, 61, slope), as: grey(90, 61, slope), patches: 6 },
    { name: 'picture.jpg', bytes: file('picture.jpg').bytes, patches: 2 },
    { name: 'turned.jpg', bytes: turned(file('picture.jpg')), patches: 2 },
  ])('the patches of $name are those that the engine itself reads', async (picture) => {
    const { name, bytes, as = bytes, patches } = picture;
    await drop(page, [digits(), { name, bytes }]);
    await page.getByText(`${patches} digits of 1 × 28 × 28`).waitFor();
    await explained(page);
    const { load } = (await import(node)) as { load(): Promise<Engine> };
    const engine = await load();
    const own = await engine.open(readFileSync(data('../../../examples/digits/model.onnx')));
    const bag = await engine.bag(new Uint8Array(as), {
      name: 'a',
      model: own,
      patch: { size: 28 },
    });
    const { prediction: native } = await own.predict(bag);
    engine.close();
    const shown = await prediction(page).innerText();
    const top = Math.max(...native) * 100;
    expect(shown).toContain(top > 99.9 ? '> 99.9 %' : `${String(Number(top.toFixed(1)))} %`);
    const box = bag.boxes!.at(-1)!;
    expect(await cells(page)).toHaveLength(patches);
    expect([box.x, box.y]).toEqual(patches === 6 ? [56, 28] : [28, 0]);
    const says = page.getByText('is to be mirrored or turned (orientation 6)');
    expect(await says.count()).toBe(name.startsWith('turned') ? 1 : 0);
  });

  test('normalisation is chosen, what it makes of pixels is said, and the prediction follows', async () => {
    const before = await prediction(page).innerText();
    await page.getByText('values from −0.42 to 2.82').waitFor();
    await page.getByLabel('Scale pixels').selectOption('none');
    await page.getByText('values from 0 to 255').waitFor();
    await explained(page);
    expect(await prediction(page).innerText()).not.toBe(before);
    await page.getByLabel('Scale pixels').selectOption('own');
    await page.getByLabel('Scale', { exact: true }).fill('0.00392156862745098');
    await page.getByLabel('Mean', { exact: true }).fill('0.1307');
    await page.getByLabel('Deviation').fill('0');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('A deviation must not be 0').waitFor();
    await page.getByLabel('Deviation').fill('0.3081');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('values from −0.42 to 2.82').waitFor();
    await explained(page);
    expect(await prediction(page).innerText()).toBe(before);
  });
});

test('ten thousand by ten thousand pixels are zoomed and moved in bounded memory', async () => {
  const side = 10_000;
  const squares = grey(side, side, (x, y) => (((x >> 8) ^ (y >> 8)) & 1 ? 200 : 60));
  await drop(page, [
    { name: 'pixels.onnx', bytes: readFileSync(data('pixels.onnx')) },
    { name: 'large.png', bytes: squares },
  ]);
  await page.getByText('400 patches of 3 × 64 × 64').waitFor({ timeout: long });
  await explained(page);
  const whole = await scale();
  await page.locator('canvas[data-scale]').scrollIntoViewIfNeeded();
  const box = (await page.locator('canvas[data-scale]').boundingBox())!;
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  for (let i = 0; i < 25; i++) await page.mouse.wheel(0, -400);
  await expect.poll(scale).toBeGreaterThan(10 * whole);
  for (let i = 0; i < 12; i++) {
    await page.mouse.down();
    await page.mouse.move(box.x + (i % 2 ? 40 : box.width - 40), box.y + box.height / 3, {
      steps: 3,
    });
    await page.mouse.up();
  }
  // Crisp: a pixel of the picture is several of the screen, and squares meet without a blur.
  await openMenu(page, 'More');
  await page.getByLabel('Colour', { exact: true }).fill('0');
  const shades = async () =>
    page.locator('canvas[data-scale]').evaluate((c: HTMLCanvasElement) => {
      const { data } = c.getContext('2d')!.getImageData(0, Math.floor(c.height / 2), c.width, 1);
      const seen = new Set<number>();
      for (let i = 0; i < data.length; i += 4) seen.add(data[i]!);
      return [...seen].filter((v) => v > 75 && v < 185).length;
    });
  await expect.poll(shades).toBe(0);
  await page.getByRole('button', { name: 'Show all' }).click();
  await expect.poll(scale).toBeCloseTo(whole, 6);
  // Names in scripts that the engine's letters lack are text of the page.
  expect(await prediction(page).innerText()).toContain('明るい');
});

describe('features with places', () => {
  test.each([
    'clam.h5',
    'trident.h5',
    'latest.h5',
    'coords.npz',
    'packed.npz',
    'coords.safetensors',
    'coords.csv',
  ])('%s is a map with its instances at their places', async (name) => {
    await drop(page, [model(), file(name)]);
    await page.getByText('12 patches of 4').waitFor();
    await explained(page);
    expect(await alerted()).toBe('');
    const at = await cells(page);
    expect(at).toHaveLength(12);
    const [a, c, d] = [at[0]!, at[1]!, at[4]!];
    expect(c[2] - a[2]).toBeCloseTo(a[4], -1);
    expect(d[3] - a[3]).toBeCloseTo(a[5], -1);
    // Instance 5 raises the alarm, 6 lowers it.
    const rows = await scores(page);
    expect(rows[5]!.scores[1]).toBeGreaterThan(0.05);
    expect(rows[6]!.scores[1]).toBeLessThan(-0.005);
    const [red, green] = await pixel(6);
    expect(red! > green!).toBe((rows[6]!.scores[await faced()] ?? 0) < 0);
  });

  const faced = async () => Number(await page.getByLabel('Class on the picture').inputValue());

  test('a picture dropped beside them lies beneath; rows of the list lead to places and back', async () => {
    // Its slide has 2500 × 2000 pixels, as the file says.
    await drop(page, [
      model(),
      file('trident.h5'),
      { name: 'slide.png', bytes: grey(100, 80, () => 200) },
    ]);
    await page.getByText('12 patches of 4').waitFor();
    await explained(page);
    await page.getByLabel('Class on the picture').selectOption('alarm');
    const list = page.getByRole('listbox', { name: '“alarm”' });
    const first = list.getByRole('option').first();
    expect(await first.innerText()).toMatch(/\b6\b/);
    const chosen = list.getByRole('option', { selected: true });
    await pick(page, 7);
    expect(await chosen.innerText()).toMatch(/\b8\b/);
    const before = await scale();
    await first.click();
    await page.getByRole('heading', { name: 'Patch 6', exact: true }).waitFor();
    expect(await scale()).toBe(before);
    await first.dblclick();
    await expect.poll(scale).toBeGreaterThan(before);
    // The overview shows which part is in sight, and a link leads there.
    await page.locator('.overview').waitFor();
    await expect.poll(() => page.url()).toMatch(/at=5&view=[\d.]+_[\d.]+_[\d.]+$/);
    const near = await scale();
    await page.getByRole('button', { name: 'Show all' }).click();
    await expect.poll(scale).toBe(before);
    await page.locator('.overview').waitFor({ state: 'detached' });
    await expect.poll(() => page.url()).not.toMatch(/view=/);
    await list.focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('heading', { name: 'Patch 6', exact: true }).waitFor({
      state: 'detached',
    });
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    await expect.poll(scale).toBeCloseTo(near, 5);
  });

  test(
    'a picture of another size than the coordinates reach is not drawn beneath: the page ' +
      'says why, in rows',
    async () => {
      await drop(page, [model(), file('latest.h5'), file('picture.png')]);
      await page.getByText('12 patches of 4').waitFor();
      await explained(page);
      await page
        .getByText(
          'their coordinates reach 2024 × 1768, the picture has 64 × 48 pixels, and no file states',
        )
        .waitFor();
      expect(await page.locator('canvas[data-scale]').count()).toBe(0);
      expect(await page.getByLabel('View of the bag').count()).toBe(0);
      expect(await scores(page)).toHaveLength(12);
      // A TIFF says how large it is, whatever part of it the patches cover.
      const slide = { name: 'slide.tif', bytes: tiff(4800, 3600) };
      await drop(page, [model(), file('latest.h5'), slide]);
      await page.locator('canvas[data-scale]').waitFor();
      await explained(page);
      expect(await page.getByText('no file states').count()).toBe(0);
      // The first patch begins at 1000 of 4800 pixels across, and 1000 of 3600 down.
      const [, , x, y] = (await cells(page)).find(([i]) => i === 0)!;
      const canvas = await page
        .locator('canvas[data-scale]')
        .evaluate((c: HTMLCanvasElement) => [c.width, c.height]);
      const unit = Math.min(canvas[0]! / 4800, canvas[1]! / 3600);
      expect(x - (canvas[0]! - 4800 * unit) / 2).toBeCloseTo(1000 * unit, -0.5);
      expect(y - (canvas[1]! - 3600 * unit) / 2).toBeCloseTo(1000 * unit, -0.5);
    },
  );

  test(
    'a file without coordinates says so, a broken one what is wrong, and both leave what ' +
      'was open',
    async () => {
      await drop(page, [model(), file('half.safetensors')]);
      await page.getByText('has no coordinates').waitFor();
      await explained(page);
      await drop(page, [{ name: 'broken.h5', bytes: file('clam.h5').bytes.subarray(0, 300) }]);
      await expect.poll(alerted).toMatch(/broken\.h5.*half\.safetensors is still open/s);
      await drop(page, [file('picture.png')]);
      await expect
        .poll(alerted)
        .toContain('the model takes vectors of 4 numbers. Open features of its patches as .h5');
      await drop(page, [file('picture.png'), file('clam.h5')]);
      await page.getByText('12 patches of 4').waitFor();
      await explained(page);
      expect(await alerted()).toBe('');
    },
  );
});

describe('taking apart', () => {
  beforeEach(async () => {
    await drop(page, [model(), file('clam.h5')]);
    await page.getByText('12 patches of 4').waitFor();
    await explained(page);
  });
  const box = async () => {
    const canvas = page.locator('canvas[data-scale]').first();
    await canvas.scrollIntoViewIfNeeded();
    return (await canvas.boundingBox())!;
  };

  test('a line drawn about patches takes them out, and puts them back', async () => {
    const before = await prediction(page).innerText();
    await openMenu(page, 'More');
    await page.getByRole('button', { name: 'Lasso' }).click();
    const around = async () => {
      const at = await cells(page);
      const { x, y } = await box();
      const [a, z] = [at[0]!, at[5]!]; // a square about 0, 1, 4 and 5
      await page.mouse.move(x + a[2] + 2, y + a[3] + 2);
      await page.mouse.down();
      for (const [px, py] of [
        [z[2] + z[4] - 2, a[3] + 2],
        [z[2] + z[4] - 2, z[3] + z[5] - 2],
        [a[2] + 2, z[3] + z[5] - 2],
      ])
        await page.mouse.move(x + px!, y + py!, { steps: 4 });
      await page.mouse.up();
    };
    await around();
    await page.getByText('With 4 of 12 patches removed').waitFor();
    expect(page.url()).toContain('out=0.1.4.5');
    expect(await prediction(page).innerText()).toContain('was');
    await around();
    await page.getByText('For all 12 patches').waitFor();
    expect(await prediction(page).innerText()).toBe(before);
  });

  test('with the keyboard: from patch to patch, a rectangle, zoom', async () => {
    const cursor = page.getByRole('gridcell', { name: /^patch \d+/ });
    await cursor.focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Shift+ArrowDown');
    await expect
      .poll(() => page.getByRole('status').last().innerText())
      .toContain('A rectangle of 4 patches');
    await page.keyboard.press('Delete');
    await page.getByText('With 4 of 12 patches removed').waitFor();
    const whole = await scale();
    await page.keyboard.press('+');
    await expect.poll(scale).toBeGreaterThan(whole);
    await openMenu(page, 'More');
    await page.getByRole('button', { name: 'Move right' }).click();
    await cursor.focus();
    await page.keyboard.press('0');
    await expect.poll(scale).toBeCloseTo(whole, 6);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('x');
    await page.getByText('With 5 of 12 patches removed').waitFor();
  });

  test('the last instance stays', async () => {
    await openMenu(page, 'More');
    await page.getByRole('button', { name: 'Lasso' }).click();
    const { x, y, width, height } = await box();
    await page.mouse.move(x + 12, y + 12);
    await page.mouse.down();
    for (const [px, py] of [
      [width - 12, 12],
      [width - 12, height - 12],
      [12, height - 12],
    ])
      await page.mouse.move(x + px!, y + py!, { steps: 3 });
    await page.mouse.up();
    await expect.poll(alerted).toContain('The last patch cannot be removed');
  });

  test('only the top n, and any strength of colour', async () => {
    const strong = await pixel(5);
    await openMenu(page, 'More');
    await page.getByLabel('Only the top').selectOption('5');
    await expect.poll(() => pixel(6)).not.toEqual(strong);
  });
});

test('two fingers zoom', async () => {
  const phone = await visit(b, site.look, {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  turnTo(phone.page);
  await drop(page, [model(), file('clam.h5')]);
  // A phone folds the names of files.
  await page.getByText('clam.h5', { exact: true }).first().waitFor({ state: 'attached' });
  await explained(page);
  await page.locator('canvas[data-scale]').scrollIntoViewIfNeeded();
  const before = await scale();
  const { x, y, width, height } = (await page.locator('canvas[data-scale]').boundingBox())!;
  const client = await page.context().newCDPSession(page);
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', far: number) =>
    client.send('Input.dispatchTouchEvent', {
      type,
      touchPoints:
        type === 'touchEnd'
          ? []
          : [-far, far].map((d, id) => ({
              x: x + width / 2 + d,
              y: y + Math.min(height, 160) / 2,
              id,
            })),
    });
  await touch('touchStart', 20);
  for (const far of [30, 45, 60, 80, 100]) await touch('touchMove', far);
  await touch('touchEnd', 0);
  await expect.poll(scale).toBeGreaterThan(1.5 * before);
});
