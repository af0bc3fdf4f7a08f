// The article for a room: one figure a screen, and scores that wait until somebody shows them.
import { expect, test } from 'vitest';
import { overflow, read, tile, violations } from './article';
import { b, site } from './site';

const windows = [
  { width: 1280, height: 720 },
  { width: 1024, height: 768 },
];

test.each(windows)('?present is legible at $width x $height', async (viewport) => {
  const { page, complaints } = await read(b, `${site.url}?present`, { viewport });
  const seen: string[] = [];
  const places = page.getByRole('group', { name: 'In a room' });
  for (;;) {
    seen.push((await page.locator('html').getAttribute('data-present'))!);
    const box = async (selector: string) =>
      (await page.locator(selector).filter({ visible: true }).first().boundingBox())!;
    // The figure begins in the upper third; the prediction is whole in the window.
    const figure = async () => (await box('.part.current .card')).y;
    await expect.poll(figure).toBeLessThan(viewport.height / 3);
    const now = await box('.part.current .now h2, aside strong');
    expect(now.y + now.height).toBeLessThan(viewport.height);
    const small = await page.evaluate(
      (least) =>
        [...document.querySelectorAll<HTMLElement>('.part.current :is(figcaption, h2, p, label)')]
          .filter((e) => e.offsetParent && e.textContent!.trim())
          .filter((e) => parseFloat(getComputedStyle(e).fontSize) < least - 0.01)
          .map((e) => e.textContent!.trim()),
      viewport.height / 40,
    );
    expect(small).toEqual([]);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    if (await places.getByRole('button', { name: 'Next figure' }).isDisabled()) break;
    await page.keyboard.press('PageDown');
    await page.locator(`html:not([data-present=${seen.at(-1)}])`).waitFor({ state: 'attached' });
  }
  expect(seen).toEqual(
    'hero removing attention alone coalitions curve methods proof together compose'.split(' '),
  );
  expect(await places.innerText()).toContain('10 of 10');
  await page.keyboard.press('ArrowLeft');
  expect(await places.innerText()).toContain('9 of 10');
  expect(await violations(page)).toEqual([]);
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('?ask hides scores from everybody until they are shown, and again with the next figure', async () => {
  const { page } = await read(b, `${site.url}?present&ask`);
  const name = () => tile(page, 21).getAttribute('aria-label');
  expect(await name()).toBe('digit 22, a 9');
  expect(await page.locator('.board li .bar').count()).toBe(0);
  expect(await page.locator('.board .about').isVisible()).toBe(false);
  await page.getByRole('button', { name: 'Show the scores' }).click();
  expect(await name()).toContain('supports');
  expect(await page.locator('.board .about').isVisible()).toBe(true);
  await page.keyboard.press('PageDown');
  await page.keyboard.press('PageDown');
  expect(await page.locator('[data-part=attention] .strips').isVisible()).toBe(false);
  await page.keyboard.press('b'); // the key by which a remote darkens the screen
  expect(await page.locator('[data-part=attention] .strips').isVisible()).toBe(true);
  await page.context().close();
});

test('without either the article is as it was', async () => {
  const { page } = await read(b, site.url);
  await page.keyboard.press('b');
  expect(await page.getByRole('group', { name: 'In a room' }).count()).toBe(0);
  expect(await tile(page, 21).getAttribute('aria-label')).toContain('supports');
  await page.context().close();
});
