// The pages of `make stick`, from a disk, in Chromium, Firefox and WebKit.
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Driver } from './drivers/driver';
import { browsers, explained, press, shows, until } from './everywhere';
import { data } from './page';
import { root } from './pages';

const address = (file: string) => pathToFileURL(join(root, 'build/stick', file)).href;

describe.each(browsers.map((b) => [b.name, b] as const))('in %s', (_, { found, start }) => {
  let d: Driver;
  beforeAll(async () => {
    if (found) d = await start();
  });
  afterAll(() => d?.close());

  describe.skipIf(!found)('from a disk', () => {
    test('the article computes', async () => {
      await d.go(address('lesson.html'));
      await until(d, () => document.querySelector('[data-phase=live]'));
      // Both 8s: the model has been asked, since no answer to this is stored.
      for (const digit of ['digit 17,', 'digit 18,']) {
        await until(
          d,
          (digit: string) =>
            document.querySelector(`.board button[aria-label^="${digit}"]:not(:disabled)`),
          digit,
        );
        await press(d, `.board button[aria-label^="${digit}"]`);
      }
      await shows(d, 'main', 'The model predicts “a 9”');
    });

    test('the explorer explains its example, another one and files, and asks for nothing', async () => {
      await d.go(address('look.html'));
      await explained(d);
      await shows(d, '#main', 'an 8 and a 9');
      await d.choose('input[aria-label="Choose model"]', [data('attention4.onnx')]);
      await d.choose('input[aria-label="Choose bag"]', [data('two_bags.csv')]);
      await shows(d, '#main', 'calm 98.1 %');
      const links = await d.run(() =>
        [...document.querySelectorAll('nav[aria-label] a')].map(
          (a) => (a as HTMLAnchorElement).href,
        ),
      );
      expect(links.map((link) => link.split('/').pop())).toEqual(['lesson.html', 'look.html']);
      const asked = await d.run(() => performance.getEntriesByType('resource').map((r) => r.name));
      expect(asked.filter((name) => !/^(blob|data):/.test(name))).toEqual([]);
      await press(d, 'summary', 'Examples');
      await press(d, 'a', 'MI-Net');
      await until(d, () => location.search === '?example=mi-net');
      await explained(d);
      await d.go(address('look.html') + '?example=nuclei');
      await shows(d, '#main', 'many nuclei');
    });
  });
});
