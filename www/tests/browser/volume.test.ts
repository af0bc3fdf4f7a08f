// The slices of a series: a stack that scrolls, its window, and files that name nobody.
import { expect, test } from 'vitest';
import { violations } from './article';
import { page, saved } from './explorer';
import { digits, drop, explained } from './page';
import { marker, series } from './series';

const slider = () => page.getByRole('slider', { name: 'Slice' });
const shown = () => page.locator('canvas[data-slice]');

async function open(slices: number, window?: readonly [number, number]): Promise<void> {
  await page.locator('main[data-sealed]').waitFor();
  await drop(page, [digits(), ...series(slices, window)]);
  await shown().waitFor();
}

/** The grey of a pixel of the slice in sight. */
const grey = (x: number, y: number) =>
  shown().evaluate(
    (c: HTMLCanvasElement, [x, y]) => c.getContext('2d')!.getImageData(x!, y!, 1, 1).data[0],
    [x, y],
  );

test('slices scroll by keys, wheel and pointer, with their sides and their place in mm', async () => {
  await open(9);
  await explained(page);
  expect(await slider().getAttribute('aria-valuemax')).toBe('8');
  for (const side of ['R', 'L', 'A', 'P']) {
    await page.locator('.side', { hasText: new RegExp(`^${side}$`) }).waitFor();
  }
  await slider().focus();
  await page.keyboard.press('Home');
  await expect.poll(() => shown().getAttribute('data-slice')).toBe('0');
  await expect.poll(() => grey(2, 2)).toBe(0);
  expect(await grey(20, 2)).toBe(255);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page
    .getByText(/slice 3 of 9, at 5 mm/)
    .first()
    .waitFor();
  // What rests in sight is selected, on the whole page; the model's card calls it a digit.
  await page
    .getByText(/^Digit 3$/)
    .first()
    .waitFor();
  await shown().hover();
  await page.mouse.wheel(0, 120);
  await expect.poll(() => slider().getAttribute('aria-valuenow')).toBe('3');
  const box = (await slider().boundingBox())!;
  await page.mouse.click(box.x + box.width / 2, box.y + box.height - 2);
  await expect.poll(() => slider().getAttribute('aria-valuenow')).toBe('8');
  expect(await violations(page)).toEqual([]);
});

test('a drag sets window and level, and a field does it by the keyboard', async () => {
  await open(3);
  await slider().focus();
  await page.keyboard.press('Home');
  await expect.poll(() => grey(20, 2)).toBe(255);
  const level = page.getByLabel('Level');
  const before = Number(await level.inputValue());
  const box = (await shown().boundingBox())!;
  await page.mouse.move(box.x + 40, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + 40, box.y + 140);
  await page.mouse.up();
  expect(Number(await level.inputValue())).toBeGreaterThan(before);
  expect(await shown().boundingBox(), 'the slice keeps its size').toEqual(box);
  await page.getByLabel('Window').fill('1000');
  await page.getByLabel('Window').press('Enter');
  await level.fill('255');
  await level.press('Enter');
  await expect.poll(() => grey(20, 2)).toBe(128);
  await page.getByRole('button', { name: 'Reset window' }).click();
  await expect.poll(() => grey(20, 2)).toBe(255);
});

test('the first window is that of the file', async () => {
  await open(3, [40, 400]);
  await expect.poll(() => page.getByLabel('Level').inputValue()).toBe('40');
  expect(await page.getByLabel('Window').inputValue()).toBe('400');
});

test('files that are saved of a series name nobody, unless a file of identifiers is chosen', async () => {
  await open(5);
  await explained(page);
  for (const [button, ending] of [
    ['Save DICOM SEG', '.seg.dcm'],
    ['Save DICOM SR', '.sr.dcm'],
    ['Save report', '.html'],
    ['Save JSON', '.json'],
  ] as const) {
    const { name, bytes } = await saved(button);
    expect(name.endsWith(ending), name).toBe(true);
    expect(bytes.includes(marker), name).toBe(false);
    expect(bytes.includes('2.25.70'), name).toBe(ending.endsWith('.dcm'));
  }
  const [file] = series(1);
  await page
    .getByLabel('Name the patient by a file …')
    .setInputFiles({ name: file!.name, mimeType: '', buffer: file!.bytes });
  const named = await saved('Save DICOM SR');
  expect(named.bytes.includes(`${marker}^JANE`)).toBe(true);
  await page.getByRole('button', { name: 'Name no patient' }).click();
  expect((await saved('Save DICOM SR')).bytes.includes(marker)).toBe(false);
});
