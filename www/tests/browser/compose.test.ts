// The section of the article in which readers compose a bag: chosen digits, a drawn one, the answer,
// and the address that keeps it.
import { expect, test } from 'vitest';
import { patience } from '../patience';
import { figure, overflow, read, violations } from './article';
import { b, site } from './site';

test.each([
  ['a desk', { viewport: { width: 1280, height: 1000 } }],
  ['a phone', { viewport: { width: 390, height: 844 }, colorScheme: 'dark' as const }],
])(
  'on %s a bag of chosen and drawn digits is predicted, explained and kept',
  async (_, options) => {
    const { page, complaints } = await read(b, site.url, options);
    const part = figure(page, 'compose');
    const said = part.locator('[aria-live]');
    await part.getByRole('button', { name: 'Add a 3' }).first().click();
    await expect.poll(() => said.innerText(), { timeout: patience }).toContain('neither 8 nor 9');
    await part.getByRole('button', { name: 'Add an 8' }).first().click();
    await expect.poll(() => said.innerText()).toContain('The model says “an 8”');

    // A loop and a stroke: a 9.
    const pad = part.locator('.pad canvas');
    await pad.scrollIntoViewIfNeeded();
    const { x, y } = (await pad.boundingBox())!;
    await page.mouse.move(x + 120, y + 60);
    await page.mouse.down();
    for (let turn = 0; turn <= 2 * Math.PI; turn += 0.25)
      await page.mouse.move(x + 90 + 30 * Math.cos(turn), y + 60 - 30 * Math.sin(turn));
    await page.mouse.move(x + 110, y + 170, { steps: 8 });
    await page.mouse.up();
    await part.getByRole('button', { name: 'Add the drawing' }).click();
    await expect.poll(() => said.innerText()).toContain('The model says “an 8 and a 9”');
    const digits = part.locator('ol.bag button');
    const names = await digits.evaluateAll((all) => all.map((e) => e.getAttribute('aria-label')));
    expect(names[0]).toMatch(/^Take out digit 1, a 3; it does not stand out$/);
    expect(names[1]).toMatch(/^Take out digit 2, an 8; supports, \+/);
    expect(names[2]).toMatch(/^Take out digit 3, drawn; supports, \+/);
    expect(await overflow(page)).toBe(0);
    expect(await violations(page)).toEqual([]);

    // Another reader gets the same bag from the address, and takes one out.
    await expect.poll(() => page.url()).toContain('own=');
    const other = await read(b, page.url(), options);
    const theirs = figure(other.page, 'compose');
    await other.page.locator('#compose').evaluate((e) => e.scrollIntoView());
    await expect
      .poll(() => theirs.locator('[aria-live]').innerText(), { timeout: patience })
      .toBe(await said.innerText());
    await theirs.getByRole('button', { name: /^Take out digit 3/ }).click();
    await expect
      .poll(() => theirs.locator('[aria-live]').innerText())
      .toContain('The model says “an 8”');
    await theirs.getByRole('button', { name: 'Empty the bag' }).click();
    await theirs.getByText('Click digits to put them in.').waitFor();
    expect([...complaints, ...other.complaints]).toEqual([]);
    await page.context().close();
    await other.page.context().close();
  },
);
