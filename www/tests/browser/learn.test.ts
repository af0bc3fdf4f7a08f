// The article: readable without script, on screen before the engine, answering in every figure, and
// a link to all of it.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { check } from '../../../tools/dev/sizes/sizes.mjs';
import { patience } from '../patience';
import { answer, figure, live, overflow, read, tile } from './article';
import { b, site } from './site';
import { weight } from './weight';

test('the folder of its pictures leads to the article, and to a place in it', async () => {
  const page = await b.newPage();
  await page.goto(site.url + 'learn/');
  await page.getByRole('heading', { name: 'See inside a bag', level: 1 }).waitFor();
  expect(page.url()).toBe(site.url);
  await page.goto(site.url + 'learn/?series#series');
  await page.locator('[data-phase="live"]').waitFor({ state: 'attached' });
  expect(page.url()).toBe(site.url + '?series#series');
  const title = page.getByRole('heading', { name: 'Which slices?' });
  await expect.poll(async () => (await title.boundingBox())!.y).toBeLessThan(300);
  expect((await title.boundingBox())!.y).toBeGreaterThan(0);
  await page.close();
});

test('on a phone the answer leaves the digits free until one is taken out', async () => {
  const page = await b.newPage({ viewport: { width: 390, height: 844 } });
  await page.goto(site.url);
  await page.locator('[data-phase="live"]').waitFor({ state: 'attached' });
  const digit = page.locator('.board li button').first();
  const middle = async () => {
    const { x, y, width, height } = (await digit.boundingBox())!;
    return page.evaluate(
      ([x, y]) => document.elementFromPoint(x!, y!)?.closest('.board li, .now')?.className ?? null,
      [x + width / 2, y + height / 2],
    );
  };
  expect(await middle()).not.toMatch(/now/);
  await digit.click();
  await page.locator('.now.stuck').waitFor();
  await page.close();
});

test('without script it reads, shows its figures, and offers nothing that would not answer', async () => {
  const { page, complaints } = await read(b, site.url, { alive: false, javaScriptEnabled: false });
  for (const heading of [
    'See inside a bag',
    'Attention does not show the class',
    'Use coalitions',
    'Test an explanation',
    'Look at pairs and sets',
  ])
    await page.getByRole('heading', { name: heading }).waitFor();
  expect(await answer(page, 'an 8 and a 9').innerText()).toContain('> 99.9 %');
  const picture = page.locator('.board image').first();
  expect((await picture.boundingBox())!.width).toBeGreaterThan(100);
  expect(await page.locator('.strips svg path.up').count()).toBeGreaterThan(10);
  const pairs = figure(page, 'together');
  expect(await pairs.locator('figure li').filter({ hasText: 'complete each other' }).count()).toBe(
    1,
  );
  expect(await page.locator('input[type=range]:visible, .live:visible').count()).toBe(0);
  expect(await overflow(page)).toBeLessThanOrEqual(0);
  expect(complaints).toEqual([]);
  await page.context().close();
});

test(
  'before the engine is there the first screen is, in its recorded size, and it answers ' +
    'from what is stored',
  async () => {
    const context = await b.newContext({ serviceWorkers: 'block' });
    const page = await context.newPage();
    const asked: string[] = [];
    page.on('request', (r) => void asked.push(new URL(r.url()).pathname));
    let release = () => {};
    const held = new Promise<void>((done) => (release = done));
    await page.route('**/*.wasm', async (route) => (await held, route.continue()));
    await page.goto(site.url);
    await page.getByText('They become interactive').waitFor();
    // What comes before the engine is asked for; hosts compress text.
    const until = () => asked.findIndex((path) => /live-/.test(path));
    await expect.poll(until).toBeGreaterThan(-1);
    const files = asked.slice(0, until()).map((path) => path.slice(1));
    expect(files.length).toBeGreaterThan(3);
    check('article, until the engine', weight(files));
    // One digit out: One Removed knows what is left.
    await tile(page, 21).click();
    await expect.poll(() => answer(page, 'an 8 and a 9').innerText()).toContain('was');
    release();
    await live(page);
    await expect.poll(() => page.getByText('They become interactive').count()).toBe(0);
    await context.close();
  },
);

describe('with the engine', () => {
  let page: Page;
  let requests: string[];
  let complaints: string[];
  beforeAll(async () => {
    ({ page, requests, complaints } = await read(b, site.url, {
      viewport: { width: 1280, height: 900 },
    }));
  });
  afterAll(() => page.context().close());

  test('one of a pair is not missed, both are, and the way there is kept', async () => {
    const removing = figure(page, 'removing');
    await removing.getByRole('button', { name: 'Remove one of the 9s' }).click();
    await expect.poll(() => removing.locator('ol li').count()).toBe(2);
    expect(await answer(page, 'an 8 and a 9').innerText()).toMatch(/99\.\d %/);
    await removing.getByRole('button', { name: 'Remove both 9s' }).click();
    await expect.poll(() => answer(page, 'an 8').innerText()).toMatch(/9\d(\.\d)? %/);
    expect(await removing.locator('ol li').count()).toBe(3);
    await page.getByRole('heading', { name: 'The model predicts “an 8”' }).waitFor();
    await expect.poll(() => page.url()).toContain('out=15.21');
    await page.getByRole('button', { name: 'Restore all' }).first().click();
    await page.getByRole('heading', { name: '29 digits, all in the bag' }).waitFor();
    await expect.poll(() => page.url()).not.toContain('out=');
  });

  test('one 9 matters nothing while the other stands in for it, and decides without it', async () => {
    const together = figure(page, 'together');
    const other = together.getByRole('button', { name: /^digit 22, a 9/ });
    expect(await other.getAttribute('aria-label')).toMatch(/without it is > 99\.9 %$/);
    const rows = together.locator('figure').first().locator('li').filter({ hasText: '±' });
    expect(await rows.allTextContents()).toEqual([
      expect.stringMatching(/^\s*digit 16, a 9\s*× 2.*stand in for each other.*−\d/s),
      expect.stringMatching(/^\s*digit 17, an 8\s*× 2.*stand in for each other.*−\d/s),
      expect.stringMatching(/a 9\s*× 2.*an 8\s*× 2.*complete each other.*\+\d/s),
    ]);
    await together.getByRole('button', { name: /^digit 16, a 9/ }).press('Enter');
    await together.getByText('Prediction of “an 8 and a 9”: 99').waitFor();
    await expect.poll(() => other.getAttribute('aria-label')).toMatch(/without it is < 0\.1 %$/);
    await other.click();
    await together.getByText('Prediction of “an 8 and a 9”: < 0.1 %').waitFor();
    // Nothing of the pairs is left, but for the two 8s.
    expect(await together.locator('path.gone').count()).toBe(2);
    await together.getByRole('button', { name: 'Restore all' }).click();
    await page.getByRole('heading', { name: '29 digits, all in the bag' }).waitFor();
  });

  test('what is pointed at is lit in every figure, and its numbers stand in the formulas', async () => {
    await tile(page, 16).hover();
    await expect
      .poll(() => page.locator('.strips rect.column[x="16"]').count())
      .toBeGreaterThan(15);
    await page.getByText('digit 17, an 8').first().waitFor();
    expect(await figure(page, 'alone').locator('math').first().textContent()).toContain('17');
    await figure(page, 'attention')
      .locator('.strips svg')
      .nth(3)
      .hover({ position: { x: 3, y: 10 } });
    await expect
      .poll(() => page.locator('.board button.lit').getAttribute('aria-label'))
      .toMatch(/^digit 1,/);
  });

  test('another class is another explanation', async () => {
    const bars = () =>
      page.locator('.board .bar path.down').evaluateAll((p) => p.map((e) => e.getAttribute('d')));
    const before = await bars();
    await answer(page, 'an 8').click();
    await expect.poll(bars).not.toEqual(before);
    expect(await tile(page, 15).getAttribute('aria-label')).toMatch(/a 9, refutes “an 8” by/);
    expect(await tile(page, 16).getAttribute('aria-label')).toMatch(/an 8, supports “an 8” by/);
    await answer(page, 'an 8 and a 9').click();
    await expect.poll(bars).toEqual(before);
  });

  test('the surrogate is fitted to as many coalitions as are shown', async () => {
    const section = figure(page, 'coalitions');
    const path = () => section.locator('svg.fit path.up').getAttribute('d');
    const all = await path();
    await section.getByRole('slider', { name: 'Number of coalitions' }).fill('40');
    await section.getByText('φ fitted to 40').waitFor();
    expect(await path()).not.toBe(all);
    // A mark for each of them beside it.
    const points = (await section.locator('path.points').getAttribute('d'))!;
    expect(points.match(/[ML]/g)).toHaveLength(40);
    expect(await section.locator('.n').last().innerText()).toBe('z40');
    await section.getByRole('button', { name: 'Play' }).click();
    await section.getByText(/φ fitted to (4[1-9]|[5-9]\d|1\d\d)$/).waitFor();
    await section.getByRole('button', { name: 'Pause' }).click();
    await section.getByRole('slider', { name: 'Number of coalitions' }).fill('300');
    await section.getByText('φ fitted to 300').waitFor();
    expect(await path()).toBe(all);
  });

  test('another seed draws others, which the model is asked about one by one', async () => {
    const section = figure(page, 'coalitions');
    const masks = () =>
      section.locator('svg.mask path').evaluateAll((p) => p.map((e) => e.getAttribute('d')));
    const before = await masks();
    await section.getByRole('button', { name: 'Draw others' }).click();
    await expect.poll(masks).not.toEqual(before);
    await expect.poll(() => section.locator('.value').last().innerText()).toMatch(/%/);
    await expect.poll(() => page.url()).toContain('seed=1');
  });

  test('α and β bend the curve and the coalitions', async () => {
    const section = figure(page, 'curve');
    const curve = () => section.locator('svg[role=img] path').nth(6).getAttribute('d');
    await page.locator('#curve').scrollIntoViewIfNeeded();
    await section.locator('summary').last().click();
    const before = await curve();
    await section.getByRole('slider', { name: /^α/ }).fill('0.4');
    await expect.poll(curve).not.toBe(before);
    await section.getByText('probability α = 0.4, the last').waitFor();
    await section.getByRole('slider', { name: /^β/ }).fill('-0.2');
    await expect.poll(() => section.locator('math').textContent()).toContain('|β|');
    await expect.poll(() => page.url()).toContain('alpha=0.4&beta=-0.2');
    await section.getByRole('button', { name: 'Use the paper’s values' }).click();
    await expect.poll(() => page.url()).not.toContain('alpha');
  });

  test('a method is chosen, and instances vanish in its order', async () => {
    await figure(page, 'methods').getByRole('button', { name: 'Single' }).click();
    const proof = figure(page, 'proof');
    expect(await proof.getByRole('combobox').inputValue()).toBe('single');
    await proof.getByRole('slider', { name: 'Removed instances' }).fill('7');
    await expect.poll(() => page.locator('aside button.away').count()).toBe(7);
    expect(await proof.locator('figcaption').innerText()).toContain('without the first 7');
    await proof.getByRole('combobox').selectOption('milli');
    await proof.getByRole('slider', { name: 'Removed instances' }).fill('4');
    // The four that matter are gone.
    const away = await page
      .locator('aside button.away')
      .evaluateAll((e) => e.map((x) => x.ariaLabel));
    expect(away.every((name) => /an 8|a 9/.test(name!))).toBe(true);
    expect(await proof.locator('math').textContent()).toMatch(/NDCG@4=.*=1$/s);
  });

  test('other bags, of vectors too, without asking the server', async () => {
    const before = requests.length;
    await page.getByRole('button', { name: 'Vectors' }).click();
    await page.getByRole('heading', { name: '24 moments, all in the bag' }).waitFor();
    await page.getByText('This model has no attention.').first().waitFor();
    const hot = await page.locator('.board li button[aria-label*="too hot"]').all();
    expect(hot.length).toBe(2);
    for (const one of hot) await one.click();
    await page.getByRole('heading', { name: 'The model predicts “worn bearing”' }).waitFor();
    await page.getByRole('button', { name: 'Misread' }).click();
    await page.getByRole('heading', { name: '28 digits, all in the bag' }).waitFor();
    expect(requests.slice(before).filter((url) => !url.endsWith('.png'))).toEqual([]);
    expect(
      await page.evaluate(() =>
        fetch('./').then(
          () => 'sent',
          () => 'refused',
        ),
      ),
    ).toBe('refused');
  });

  test('nothing was complained about', () =>
    // The refused request of the test before is.
    expect(complaints.filter((c) => !/connect-src|Refused to connect|violates/.test(c))).toEqual(
      [],
    ));
});

test(
  'at rest each piece of the article has its height before it was near the screen, so ' +
    'that a jump lands where it should',
  async () => {
    const pieces = 'main > .part > :is(.text, .page)';
    const open = async () =>
      (await read(b, site.url, { viewport: { width: 1280, height: 900 } })).page;
    const heights = (page: Page) =>
      page.locator(pieces).evaluateAll((all: HTMLElement[]) => all.map((e) => e.offsetHeight));
    const [near, page] = await Promise.all([open(), open()]);
    await near
      .locator(pieces)
      .evaluateAll((all: HTMLElement[]) =>
        all.forEach((e) => (e.style.contentVisibility = 'visible')),
      );
    await expect.poll(() => heights(page)).toEqual(await heights(near));
    const top = () =>
      page.locator('#methods').evaluate((e) => Math.round(e.getBoundingClientRect().top));
    await page.locator('#methods').evaluate((e) => e.scrollIntoView());
    const landed = await top();
    expect(landed).toBeLessThan(300);
    // What the jump brought near is laid out and painted.
    await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestIdleCallback(done))),
    );
    expect(await heights(page)).toEqual(await heights(near));
    expect(await top()).toBe(landed);
    await near.context().close();
    await page.context().close();
  },
);

test('a link reproduces what was seen', async () => {
  const hash = '#bag=eights&class=3&out=8.23&seed=5&alpha=0.3&shown=60&method=single&gone=3';
  const look = async () => {
    const { page } = await read(b, site.url + hash);
    // A part that is far from the screen has no innerText.
    const fitted = figure(page, 'coalitions').getByText('φ fitted to 60');
    await fitted.waitFor({ state: 'attached' });
    await expect.poll(() => page.locator('ol li').first().textContent()).toContain('%');
    await expect
      .poll(() => figure(page, 'removing').locator('ol').textContent())
      .not.toContain('…');
    await expect
      .poll(() => figure(page, 'coalitions').locator('.masks').textContent())
      .not.toContain('…');
    await expect.poll(() => figure(page, 'methods').locator('.row.lit').count()).toBe(1);
    return page;
  };
  const shown = async (page: Page) => ({
    text: await page.locator('main').textContent(),
    paths: await page
      .locator('main path')
      .evaluateAll((all) => all.map((path) => path.getAttribute('d'))),
    hash: new URL(page.url()).hash,
  });
  const [one, two] = await Promise.all([look(), look()]);
  await vi.waitFor(
    async () => {
      const [a, z] = await Promise.all([shown(one), shown(two)]);
      expect(a.hash).toBe(hash);
      expect(z).toEqual(a);
    },
    { timeout: patience, interval: 100 },
  );
  await one.context().close();
  await two.context().close();
});

test('with the keyboard alone: to the article, through the bag, an instance out and back', async () => {
  const { page } = await read(b, site.url);
  await page.keyboard.press('Tab');
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(
    'Skip to the article',
  );
  await page.keyboard.press('Enter');
  const focused = () =>
    page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '');
  for (let i = 0; i < 20 && !/^digit/.test(await focused()); i++) await page.keyboard.press('Tab');
  await page.keyboard.press('Home');
  expect(await focused()).toMatch(/^digit 1, /);
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowDown');
  const at = Number((await focused()).match(/\d+/)![0]);
  expect(at).toBeGreaterThan(2);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: '1 removed' }).waitFor();
  await expect
    .poll(() => page.getByRole('status').innerText())
    .toMatch(/is removed\. “an 8 and a 9” is now at/);
  await page.keyboard.press('Space');
  await page.getByRole('heading', { name: 'all in the bag' }).waitFor();
  // The bag is one stop of the Tab key, whatever its size.
  await page.keyboard.press('Tab');
  expect(await page.evaluate(() => document.activeElement?.getAttribute('type'))).toBe('radio');
  await page.context().close();
});
