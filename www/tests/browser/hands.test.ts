// Removals undone and done again, Back and Forward, the map's key, and what is shown about the class
// that is predicted after a removal.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { page, seen } from './explorer';
import {
  data,
  drop,
  explained,
  grey,
  heard,
  number,
  openMenu,
  pick,
  prediction,
  scores,
  spot,
  visit,
} from './page';
import { b } from './site';

const out = (n: number) => page.getByText(`With ${n} of 29 digits removed`);
const whole = () => page.getByText('For all 29 digits');
const button = (name: string) => page.getByRole('button', { name, exact: true });
const said = () => page.getByRole('status').last().innerText();

/** Sends what the page asks its workers so many milliseconds later. */
const slow = (delay: number) =>
  page.evaluate((delay) => void ((window as { delay?: number }).delay = delay), delay);

/** The text of a file that an item of the menu Save saves. */
async function saved(item: string): Promise<string> {
  await openMenu(page, 'Save');
  const [file] = await Promise.all([page.waitForEvent('download'), button(item).click()]);
  return readFileSync((await file.path())!, 'utf8');
}

async function remove(instance: number): Promise<void> {
  await pick(page, instance);
  await page.keyboard.press('Delete');
}

test('removals are undone and done again by keys, by buttons and by the notice', async () => {
  const removals = page.getByRole('group', { name: 'Removals' });
  const undo = removals.getByRole('button', { name: 'Undo' });
  const redo = removals.getByRole('button', { name: 'Redo' });
  expect([await undo.isDisabled(), await redo.isDisabled()]).toEqual([true, true]);
  const before = await prediction(page).innerText();
  await remove(15);
  await out(1).waitFor();
  await remove(21);
  await out(2).waitFor();
  const after = await prediction(page).innerText();
  await page.keyboard.press('Control+z');
  await out(1).waitFor();
  expect(page.url()).toMatch(/out=15(&|$)/);
  await page.keyboard.press('Control+Shift+z');
  await out(2).waitFor();
  expect(await prediction(page).innerText()).toBe(after);
  await undo.click();
  await out(1).waitFor();
  await undo.click();
  await whole().waitFor();
  expect(await undo.isDisabled()).toBe(true);
  expect(await prediction(page).innerText()).toBe(before);
  await redo.click();
  await out(1).waitFor();
  // A restoration is a change, too, and ends what could be done again.
  await button('Restore all').click();
  await whole().waitFor();
  expect(await redo.isDisabled()).toBe(true);
  await page.keyboard.press('Control+z');
  await out(1).waitFor();
  await button('Restore all').click();
  await whole().waitFor();
  await remove(3);
  const notice = page.locator('.moved');
  await notice.getByText('Digit 4 is removed.').waitFor();
  await notice.getByRole('button', { name: 'Undo' }).click();
  await whole().waitFor();
  // Another bag has no changes yet.
  await button('Next bag').click();
  await page.getByText('2 of 6').waitFor();
  await explained(page);
  expect(await undo.isDisabled()).toBe(true);
  expect(await notice.count()).toBe(0);
  expect(seen.complaints).toEqual([]);
});

test('Back and Forward lead through removals and bags, and not through what is pointed at', async () => {
  const start = await page.evaluate(() => history.length);
  await remove(15);
  await out(1).waitFor();
  await pick(page, 3);
  await remove(21);
  await out(2).waitFor();
  await button('Next bag').click();
  await page.getByText('2 of 6').waitFor();
  await explained(page);
  expect(await page.evaluate(() => history.length)).toBe(start + 3);
  await page.goBack();
  await page.getByText('1 of 6').waitFor();
  await out(2).waitFor();
  await explained(page);
  await page.goBack();
  await out(1).waitFor();
  expect(page.url()).toMatch(/out=15(&|$)/);
  await page.goBack();
  await whole().waitFor();
  await page.goForward();
  await out(1).waitFor();
  await page.goForward();
  await page.goForward();
  await page.getByText('2 of 6').waitFor();
  await explained(page);
  expect(await page.evaluate(() => history.length)).toBe(start + 3);
  expect(seen.complaints).toEqual([]);
});

test('after a removal all explains itself about the class that is predicted now, grey until then', async () => {
  const stale = page.locator('.picture .stale');
  expect(await stale.count()).toBe(0);
  await remove(16);
  await explained(page);
  const sentences = await heard(page);
  // Messages to the engine take long enough to see what is between.
  await slow(2000);
  await remove(17);
  await button('Stop').waitFor();
  expect(await stale.count()).toBeGreaterThan(0);
  await slow(0);
  await page.getByRole('heading', { name: 'The model now predicts “a 9”' }).waitFor();
  const about = async (p = page) => {
    await p.getByText(/^Trust in the scores of “a 9”/).waitFor();
    await expect.poll(() => p.getByRole('status').last().innerText()).toMatch(/“a 9” by/);
    const classes = p.locator('section[aria-labelledby="whatif-title"]').getByLabel('Class');
    expect(await classes.locator('option:checked').innerText()).toBe('a 9');
  };
  await expect.poll(() => stale.count()).toBe(0);
  await expect.poll(said).toMatch(/^Explained\. Strongest: digit \d+ supports “a 9” by/);
  expect(await sentences()).toContainEqual(
    expect.stringMatching(/^Digit 18 is removed\. “a 9” is now at/),
  );
  await about();
  // The selection stays, and instances that are out have no scores.
  await page.getByRole('heading', { name: 'Digit 18', exact: true }).waitFor();
  const bare = async () => (await scores(page)).filter((r) => r.scores.every(Number.isNaN));
  expect((await bare()).map((r) => r.instance)).toEqual([16, 17]);
  const again = await visit(b, page.url());
  await about(again.page);
  await again.page.context().close();
  // What comes back is explained, too.
  await page.keyboard.press('Control+z');
  await expect.poll(async () => (await bare()).map((r) => r.instance)).toEqual([16]);
  await page.keyboard.press('Control+Shift+z');
  await expect.poll(async () => (await bare()).length).toBe(2);
  await button('Restore all').click();
  await expect.poll(async () => (await bare()).length).toBe(0);
  await page.getByText(/^Trust in the scores of “an 8 and a 9”/).waitFor();
  expect(seen.complaints).toEqual([]);
});

test('an explanation that is stopped leaves grey scores and a button, and a quick undo makes it moot', async () => {
  // On a slow machine it says how long that takes.
  const again = page.getByRole('button', { name: /^Explain the remaining digits/ });
  await slow(4000);
  await remove(16);
  await button('Stop').click();
  await slow(0);
  await page.getByText('The grey scores are those of the whole bag.').waitFor();
  await again.waitFor();
  await page.keyboard.press('Control+z');
  await explained(page);
  await expect.poll(() => page.locator('.picture .stale').count()).toBe(0);
  expect(await again.count()).toBe(0);
  await slow(4000);
  await page.keyboard.press('Control+Shift+z');
  await button('Stop').click();
  await slow(0);
  await again.click();
  await expect.poll(() => page.locator('.picture .stale').count()).toBe(0);
  expect(seen.complaints).toEqual([]);
});

test('what took long is explained again by a button that says how long', async () => {
  // The page's clock runs fast, so that an explanation of milliseconds takes minutes.
  await page.evaluate(() => {
    const [now, at] = [performance.now.bind(performance), performance.now()];
    performance.now = () => at + 1e5 * (now() - at);
  });
  await button('Explain').click();
  await explained(page);
  await remove(16);
  await out(1).waitFor();
  await page.locator('main[aria-busy="false"]').waitFor();
  const again = page.getByRole('button', {
    name: /^Explain the remaining digits \(about [\d\u202f]+ (s|minutes?)\)$/,
  });
  await again.waitFor();
  expect(await page.locator('.picture .stale').count()).toBeGreaterThan(0);
  expect(await page.locator('.picture .gone').count()).toBeGreaterThan(0);
  await again.click();
  await expect.poll(() => page.locator('.picture .stale').count()).toBe(0);
  // The whole bag waits for a button as well.
  await page.keyboard.press('Control+z');
  await whole().waitFor();
  await page.getByText('The grey scores are those before the last change.').waitFor();
  await page.getByRole('button', { name: /^Explain the whole bag \(about/ }).click();
  await expect.poll(() => page.locator('.picture .stale').count()).toBe(0);
  expect(seen.complaints).toEqual([]);
});

test('the card has the score and what this bag loses without the instance', async () => {
  const read = (name: string) => ({ name, bytes: readFileSync(data(name)) });
  await drop(page, [read('attention4.onnx'), read('two_bags.csv')]);
  await page.getByText('1 of 2').waitFor();
  await button('Next bag').click();
  await page.getByText('2 of 2').waitFor();
  await explained(page);
  await pick(page, 0);
  const values = page.locator('section[aria-labelledby="instance-title"] dl');
  await expect.poll(() => values.innerText()).toMatch(/By itself\s+\+\d.*\s+Missed here\s+\+\d/);
  // Known answers: without instance 0, .951 becomes .5744, and log-odds fall from 2.96 to .30.
  const shown = number((await values.innerText()).match(/\S+$/)![0]);
  expect(Math.abs(shown - 2.665)).toBeLessThan(0.02);
  // In the bag that lacks it, it is missed as much.
  await page.keyboard.press('Delete');
  await page.getByText('With 1 of 5 instances removed').waitFor();
  await expect.poll(async () => number((await values.innerText()).match(/\S+$/)![0])).toBe(shown);
});

test('M switches the map off and on, the address keeps it, and a field keeps its letters', async () => {
  const read = (name: string) => readFileSync(data(name));
  await drop(page, [
    { name: 'attention4.onnx', bytes: read('attention4.onnx') },
    { name: 'trident.h5', bytes: read('files/trident.h5') },
    { name: 'slide.png', bytes: grey(100, 80, () => 200) },
  ]);
  await page.getByText('12 patches of 4').waitFor();
  await explained(page);
  const canvas = page.locator('canvas[data-scale]');
  const coloured = () =>
    canvas.evaluate((c: HTMLCanvasElement) => {
      const { data } = c.getContext('2d')!.getImageData(0, 0, c.width, c.height);
      let n = 0;
      for (let i = 0; i < data.length; i += 4) if (Math.abs(data[i]! - data[i + 1]!) > 30) n++;
      return n;
    });
  await pick(page, 7);
  const on = await coloured();
  const map = page.getByRole('button', { name: 'Map', exact: true });
  await page.keyboard.press('m');
  await expect.poll(() => map.getAttribute('aria-pressed')).toBe('false');
  await expect.poll(coloured).toBeLessThan(on / 2);
  expect(page.url()).toMatch(/bare=1/);
  await page.keyboard.press('m');
  await expect.poll(coloured).toBe(on);
  expect(page.url()).not.toMatch(/bare=1/);
  await page.getByLabel('Class on the picture').focus();
  await page.keyboard.press('m');
  expect(await map.getAttribute('aria-pressed')).toBe('true');
  // Back leads through the classes on the picture.
  const shown = page.getByLabel('Class on the picture');
  const first = await shown.inputValue();
  await shown.selectOption(first === '0' ? '1' : '0');
  await page.goBack();
  await expect.poll(() => shown.inputValue()).toBe(first);
  expect(seen.complaints).toEqual([]);
});

test('list, card, picture, table, announcement and address name one digit, whatever moves', async () => {
  const card = page.locator('section[aria-labelledby="instance-title"]');
  const list = page.getByRole('listbox');
  /** Expects that a digit, which has an index, is the selected one everywhere, by its number. */
  const named = async (index: number) => {
    const digit = `Digit ${index + 1}`;
    await card.getByRole('heading', { name: digit, exact: true }).waitFor();
    await card.getByText(`Index ${index}.`).waitFor();
    const cursor = page.getByRole('gridcell');
    await expect
      .poll(() => cursor.getAttribute('aria-label'))
      .toMatch(new RegExp(`^${digit}( |$)`, 'i'));
    expect(page.url()).toMatch(new RegExp(`[#&]at=${index}(&|$)`));
    expect(await page.locator('tr.lit th').allInnerTexts()).toEqual([String(index + 1)]);
    const chosen = list.getByRole('option', { selected: true });
    for (const text of await chosen.locator('.number').first().allInnerTexts())
      expect(text).toBe(String(index + 1));
    // The frame in the picture is around the cells that are drawn of this digit.
    const { x, y } = await spot(page, index);
    const frame = (await cursor.boundingBox())!;
    expect(Math.abs(frame.x + frame.width / 2 - x)).toBeLessThan(3);
    expect(Math.abs(frame.y + frame.height / 2 - y)).toBeLessThan(3);
  };
  const sentences = await heard(page);
  await pick(page, 16);
  await named(16);
  for (const [key, done] of [
    ['Delete', 'removed'],
    ['Delete', 'restored'],
  ] as const) {
    await page.keyboard.press(key);
    await expect
      .poll(sentences)
      .toContainEqual(expect.stringMatching(new RegExp(`^Digit 17 is ${done}\\.`)));
    await explained(page);
    expect(page.url()).toMatch(done === 'removed' ? /[#&]out=16(&|$)/ : /^(?!.*out=)/);
    await named(16);
  }
  await page.keyboard.press('Control+z');
  await out(1).waitFor();
  await button('Restore digit 17').first().waitFor();
  await page.keyboard.press('Control+z');
  await whole().waitFor();
  await named(16);
  // In the order of the file the numbers are those from 1 on, as the list has them.
  await button('In the order of the file').click();
  const numbers = await list.locator('.one > .number:not(.score)').allInnerTexts();
  await named(16);
  expect(numbers.length).toBeGreaterThan(20);
  expect(numbers).toEqual(numbers.map((_, i) => String(i + 1)));
  await list.getByRole('option').first().click();
  await named(0);
  // A name is seen whole: nothing cuts it off.
  for (const option of await list.getByRole('option').all())
    expect(
      await option.evaluate((e) =>
        [...e.querySelectorAll('.number')].every((n) => n.scrollWidth <= n.clientWidth + 1),
      ),
    ).toBe(true);
});

test('an instance is named in place, and is called so everywhere and in saved files', async () => {
  const card = page.locator('#instance-title');
  const pencil = button('Name the digit');
  await pick(page, 7);
  await pencil.press('Enter');
  await page.keyboard.type('the odd one');
  await page.keyboard.press('Enter');
  await expect.poll(() => card.innerText()).toContain('Digit 8 (the odd one)');
  const table = await saved('Save CSV');
  expect(table.split('\n')[0]).toMatch(/,instance_name$/m);
  const rows = table.split('\n').filter((row) => /,7,/.test(row) && row.includes('the odd one'));
  expect(rows.length).toBeGreaterThan(0);
  expect(table.match(/the odd one/g)?.length).toBe(rows.length);
  expect(JSON.parse(await saved('Save JSON')).bag.instance_names[7]).toBe('the odd one');
  expect(JSON.parse(await saved('Save replay file')).names).toEqual({ 7: 'the odd one' });
  // It is the name of this instance of this bag alone, and stays with it.
  await pick(page, 8);
  await expect.poll(() => card.innerText()).toMatch(/^Digit 9$/m);
  await button('Next bag').click();
  await page.getByText('2 of 6').waitFor();
  await explained(page);
  await pick(page, 7);
  await expect.poll(() => card.innerText()).toMatch(/^Digit 8$/m);
  await page.goBack();
  await page.getByText('1 of 6').waitFor();
  await explained(page);
  await pick(page, 7);
  await card.getByText('Digit 8 (the odd one)').dblclick();
  await page.keyboard.press('Backspace');
  await page.keyboard.press('Enter');
  await expect.poll(() => card.innerText()).toMatch(/^Digit 8$/m);
});

test('the predicted class is renamed in place, by the pencil and by a double click', async () => {
  const heading = page.locator('#prediction-title');
  const pencil = button('Rename the class');
  await pencil.press('Enter');
  await page.keyboard.type('loud');
  await page.keyboard.press('Enter');
  await expect.poll(() => heading.innerText()).toContain('“loud”');
  await expect.poll(() => pencil.evaluate((e) => e === document.activeElement)).toBe(true);
  await expect.poll(() => prediction(page).innerText()).toContain('loud');
  await heading.getByText('“loud”').dblclick();
  await page.keyboard.type('quiet');
  await page.keyboard.press('Escape');
  expect(await heading.innerText()).toContain('“loud”');
  // Without a name, the class has that of the model again.
  await pencil.press('Enter');
  await page.keyboard.press('Backspace');
  await page.keyboard.press('Enter');
  await expect.poll(() => heading.innerText()).toContain('“an 8 and a 9”');
});
