// Keys, dropped files and pasted pictures in Chromium, Firefox and WebKit. Keys are real. No driver
// can drag a file from the desktop, and the clipboards of Firefox and WebKit hold no picture when
// they are driven: these events are made by a script in the page, as the browser would make them.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Driver, Key } from './drivers/driver';
import { browsers, explained, patience, shows, until } from './everywhere';
import { host, type Host } from './host';
import { data, digits, dist, grey } from './page';

describe.each(browsers.map((b) => [b.name, b] as const))('in %s', (_, { found, start }) => {
  let site: Host;
  let d: Driver;

  beforeAll(async () => {
    if (!found) return;
    site = await host(dist);
    d = await start();
  });
  afterAll(async () => {
    await d?.close();
    await site?.close();
  });

  const look = async () => {
    await d.go(site.look);
    await explained(d);
  };
  /** The words of the element that has the focus. */
  const focused = () =>
    d.run(() => {
      const e = document.activeElement!;
      return (e.getAttribute('aria-label') ?? e.textContent!).trim();
    });
  /** Presses keys until the element with the focus has these words; all on the way show the focus. */
  const go = async (words: RegExp, ...keys: Key[]) => {
    for (let i = 0; i < 60; i++) {
      if (words.test(await focused())) return;
      await d.keys(...keys);
      const outline = await d.run(() => {
        // A label shows the focus of its hidden input, and a figure that of a part.
        const near = [0, 1].reduce(
          (all) => [...all, all.at(-1)!.parentElement!],
          [document.activeElement!],
        );
        return near
          .map((e) => getComputedStyle(e))
          .some((s) => s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 2);
      });
      expect(outline, `${await focused()} shows the focus`).toBe(true);
    }
    expect(await focused()).toMatch(words);
  };

  describe.skipIf(!found)('by keys alone', () => {
    test('from the first Tab to the bag, an instance out, and back', async () => {
      await look();
      await d.keys('Tab');
      expect(await focused()).toBe('Skip to the explanation');
      await d.keys('Enter');
      await go(/^digit \d+ (supports|refutes|does not stand out)/, 'Tab');
      await d.keys('Home');
      expect(await focused()).toMatch(/^digit 1 /);
      await d.keys('ArrowRight');
      await d.keys('ArrowDown');
      const at = Number(/\d+/.exec(await focused())![0]);
      expect(at).toBeGreaterThan(1);
      await d.keys('Delete');
      await shows(d, '#main', 'With 1 of 29 digits removed');
      expect(await focused()).toMatch(new RegExp(`^digit ${at} .*removed$`));
      await d.keys('x');
      await shows(d, '#main', 'For all 29 digits');
      await d.keys('Shift', 'Tab');
      expect(await focused()).not.toMatch(/^digit/);
    });

    test('the focus returns to Explain after the explanation', async () => {
      await look();
      await d.run(() => {
        const button = document.querySelector<HTMLButtonElement>('.run button')!;
        button.focus();
        const mark = () => button.disabled && button.setAttribute('data-ran', '');
        new MutationObserver(mark).observe(button, { attributeFilter: ['disabled'] });
      });
      await d.keys('Enter');
      await until(d, () => document.activeElement!.matches('.run button[data-ran]:enabled'));
    });

    test('a question is left with Escape, and the focus returns to its button', async () => {
      const button = 'Remove my data';
      await d.run((button: string) => {
        const all = [...document.querySelectorAll<HTMLElement>('button')];
        all.find((b) => b.textContent === button)!.focus();
      }, button);
      await d.keys('Enter');
      await shows(d, '[role=alertdialog]');
      expect(await focused()).toBe('Keep');
      await d.keys('Escape');
      await until(d, () => !document.querySelector('[role=alertdialog]'));
      expect(await focused()).toBe(button);
      await d.keys('Enter');
      await go(/^Remove all$/, 'Shift', 'Tab');
      await d.keys('Enter');
      await shows(d, '#main', 'Removed: all results and settings');
      // The page is empty, so that the button is gone and the message has the focus.
      expect(await focused()).toBe('Close this message');
    });

    test('the article takes a digit out', async () => {
      await d.go(site.url);
      await shows(d, '[data-phase="live"]');
      await d.run(() =>
        document.querySelector<HTMLElement>('.board li:nth-child(16) button')!.focus(),
      );
      await d.keys('Enter');
      await shows(d, 'h2, h3', '1 removed');
    });

    test('the documentation is searched, and Escape empties the field', async () => {
      await d.go(`${site.url}docs/`);
      await d.run(() => document.querySelector<HTMLElement>('search input')!.focus());
      await d.type('privacy');
      await until(d, () => document.querySelector('search a'));
      await d.keys('ArrowDown');
      await until(d, () => document.activeElement!.matches('search a'));
      await d.keys('Escape');
      await until(d, () => !document.querySelector('search a'));
      expect(await d.run(() => document.activeElement!.matches('search input'))).toBe(true);
    });
  });

  describe.skipIf(!found)('files by an event from a script', () => {
    /** Hands files to the page by the event that a browser makes. */
    const give = (type: 'drop' | 'paste', files: { name: string; bytes: Buffer }[]) =>
      d.run(
        (type: string, files: { name: string; base64: string }[]) => {
          const transfer = new DataTransfer();
          for (const { name, base64 } of files) {
            const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
            transfer.items.add(new File([bytes], name));
          }
          const rest = { bubbles: true, cancelable: true };
          const event =
            type === 'drop' ? new DragEvent(type, rest) : new ClipboardEvent(type, rest);
          // Firefox ignores the files of a constructor.
          const field = type === 'drop' ? 'dataTransfer' : 'clipboardData';
          Object.defineProperty(event, field, { value: transfer });
          document.querySelector('main')!.dispatchEvent(event);
          return event.defaultPrevented;
        },
        type,
        files.map((f) => ({ name: f.name, base64: f.bytes.toString('base64') })),
      );
    const disk = (name: string) => ({ name, bytes: readFileSync(data(name)) });

    test('a model and a bag that are dropped are explained', async () => {
      await look();
      expect(await give('drop', [disk('attention4.onnx'), disk('two_bags.csv')])).toBe(true);
      await shows(d, '#main', 'calm 98.1 %');
    });

    test('a drop without files is left to the browser', async () => {
      expect(await give('drop', [])).toBe(false);
      await shows(d, '#main', 'calm 98.1 %');
    });

    test('a pasted picture is opened; a paste without files is left to the browser', async () => {
      await give('drop', [digits()]);
      await shows(d, '.zone', 'own.onnx');
      const square = grey(56, 28, (x, y) => (x % 28 > 9 && x % 28 < 18 && y > 9 ? 0 : 255));
      expect(await give('paste', [{ name: 'image.png', bytes: square }])).toBe(true);
      await shows(d, '.zone', 'image.png');
      await explained(d);
      expect(await give('paste', [])).toBe(false);
    });
  });

  test.skipIf(!found)(
    'files that are chosen while the engine loads replace the example',
    async () => {
      let release = () => {};
      const released = new Promise<void>((done) => (release = done));
      // A host that keeps the engine back.
      const slow = createServer((request, response) => {
        void (async () => {
          if (request.url!.endsWith('.wasm')) await released;
          const file = await fetch(new URL(request.url!, site.url));
          response.writeHead(file.status, { 'Content-Type': file.headers.get('Content-Type')! });
          response.end(Buffer.from(await file.arrayBuffer()));
        })();
      });
      await new Promise<void>((done) => slow.listen(0, '127.0.0.1', done));
      await d.go(`http://127.0.0.1:${(slow.address() as AddressInfo).port}/look/`);
      for (const [label, name] of [
        ['Choose model', 'attention4.onnx'],
        ['Choose bag', 'two_bags.csv'],
      ] as const) {
        await d.choose(`input[aria-label="${label}"]`, [data(name)]);
        await shows(d, '.zone', name);
      }
      release();
      await shows(d, '#main', 'calm 98.1 %');
      await explained(d);
      await expect
        .poll(() => d.run(() => document.querySelector<HTMLElement>('.zones')!.innerText), patience)
        .not.toContain('digits');
      slow.closeAllConnections();
      slow.close();
    },
  );
});
