// A press on a control that is then disabled, hidden or removed leaves the focus nearby: whoever
// works with the keyboard never begins at the top of the page again.
import { expect, test } from 'vitest';
import { page } from './explorer';
import { drop, explained } from './page';

/** The words of what has the focus; "body" or "main" where no control has it. */
const focused = () =>
  page.evaluate(() => {
    const at = document.activeElement!;
    if (at === document.body || at.id === 'main') return at.localName;
    return at.getAttribute('aria-label') ?? at.textContent.trim().replace(/^[‹›]/, '');
  });
const press = async (name: string) => {
  await page.getByRole('button', { name, exact: true }).first().focus();
  await page.keyboard.press('Enter');
};

test('the first and the last bag leave the focus beside the buttons', async () => {
  await press('Next bag');
  await explained(page);
  expect(await focused()).toBe('Next bag');
  await press('Previous bag');
  await page.getByText(/^1 of \d+$/).waitFor();
  await expect.poll(focused).toBe('Bag');

  const menu = page.getByRole('combobox', { name: 'Bag', exact: true });
  const last = (await menu.locator('option').count()) - 1;
  await menu.selectOption(String(last - 1));
  await page.getByText(`${last} of ${last + 1}`).waitFor();
  await explained(page);
  await press('Next bag');
  await page.getByText(`${last + 1} of ${last + 1}`).waitFor();
  await expect.poll(focused).toBe('Bag');
});

test('the focus returns to a button whose work has ended, unless a key was pressed', async () => {
  await press('Find pairs');
  await page.getByRole('region', { name: 'Pairs of digits' }).waitFor();
  await expect.poll(focused).toBe('Find pairs');
  // A click elsewhere leaves the focus there on purpose.
  await page.getByRole('heading', { name: 'The model predicts' }).click();
  await page.getByRole('button', { name: 'Next bag' }).evaluate((b) => b.remove());
  expect(await focused()).toMatch(/^The model predicts/);
});

test('a message that stays in sight never covers what has the focus', async () => {
  await drop(page, [{ name: 'broken.onnx', bytes: Buffer.from('no model') }]);
  await page.getByRole('button', { name: 'Close this message' }).waitFor();
  await page.getByRole('button', { name: 'Choose files' }).focus();
  for (let i = 0; i < 30; i++) {
    await page.keyboard.press('Shift+Tab');
    const covered = await page.evaluate(() => {
      const at = document.activeElement!;
      const [own, over] = [at, document.querySelector('.alert')!].map((e) => {
        const { top, bottom } = e.getBoundingClientRect();
        return { top, bottom };
      });
      return own!.top < over!.bottom && own!.bottom > over!.top ? at.outerHTML.slice(0, 100) : '';
    });
    expect(covered).toBe('');
  }
});

test('every button of the page, pressed by the keyboard, leaves the focus in the page', async () => {
  // These end what the others need.
  const end = ['Start empty', 'Remove my data', 'Remove'];
  const pressed: string[] = [];
  const next = () =>
    page.evaluate(
      ([pressed, end]) => {
        const all = [
          ...document.querySelectorAll<HTMLElement>(
            'main :is(button, summary), header :is(button, summary)',
          ),
        ];
        const names = new Map(
          all
            .filter((b) => !b.matches(':disabled') && b.getClientRects().length > 0)
            .map((b) => [
              (b.getAttribute('aria-label') ?? b.textContent.trim()).replace(/^[‹›]|\d+/g, ''),
              b,
            ]),
        );
        const left = [...names.keys()].filter((name) => !pressed!.includes(name));
        const name =
          left.find((name) => !end!.includes(name)) ?? end!.find((name) => left.includes(name));
        if (name === undefined) return null;
        names.get(name)!.focus({ preventScroll: true });
        return name;
      },
      [pressed, end],
    );
  for (let name = await next(); name !== null && pressed.length < 80; name = await next()) {
    pressed.push(name);
    await page.keyboard.press('Enter');
    const inPage = () => focused().then((words) => `${name} → ${words}`);
    await expect.poll(inPage).not.toMatch(/→ (body|main)$/);
    await page.locator('main[aria-busy="false"]').waitFor();
    await page.waitForFunction(() => !document.querySelector('main progress'));
    await expect.poll(inPage).not.toMatch(/→ (body|main)$/);
  }
  expect(pressed.length).toBeGreaterThan(15);
  for (const name of ['Next bag', 'Previous bag', 'Explain', 'Find pairs'])
    expect(pressed).toContain(name);
});
