// The element in pages of all kinds, in Chromium, Firefox and WebKit.
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Report } from 'bagscope';
import type { BagExplainer } from 'bagscope/element';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Driver } from './drivers/driver';
import { browsers, patience, until } from './everywhere';
import { host, type Host } from './host';
import { root } from './pages';

const files = 'examples/digits';
const attributes = `model="${files}/model.onnx" bag="${files}/bags.npz" settings="mnist"`;
const line = `<bag-explainer ${attributes} loading="eager" interactive></bag-explainer>`;
const script = (from = '') =>
  `<script type="module" src="${from}wasm/npm/dist/element.js"></script>`;

describe.each(browsers.map((b) => [b.name, b] as const))('in %s', (_, { found, start }) => {
  let folder: string;
  let site: Host;
  let other: Host;
  let d: Driver;
  let count = 0;

  beforeAll(async () => {
    if (!found) return;
    folder = mkdtempSync(join(tmpdir(), 'bagscope-element-'));
    for (const name of ['wasm', 'examples']) symlinkSync(join(root, name), join(folder, name));
    site = await host(folder);
    // Another port is another origin.
    other = await host(root, '/', { 'Access-Control-Allow-Origin': '*' });
    d = await start();
  });
  afterAll(async () => {
    await d?.close();
    await site?.close();
    await other?.close();
    if (folder) rmSync(folder, { recursive: true });
  });

  /** Writes a page with these lines in its body that keeps what goes wrong in it. */
  const page = (body: string, policy = ''): string => {
    const name = `${count++}.html`;
    const strict = `<meta http-equiv="Content-Security-Policy" content="${policy}">`;
    const keep = `window.faults = [];
      addEventListener('error', (e) => faults.push(e.message));
      addEventListener('unhandledrejection', (e) => faults.push(String(e.reason)));
      console.error = (...words) => faults.push(words.join(' '));`;
    writeFileSync(
      join(folder, name),
      `<!doctype html><html lang="en"><meta charset="utf-8">${policy && strict}<title>t</title>
      <link rel="icon" href="data:,"><script>${keep}</script><body>${body}</body></html>`,
    );
    return site.url + name;
  };

  const open = (body: string, policy?: string) => d.go(page(body, policy));
  const explained = () =>
    until(d, () => {
      const e = document.querySelector<BagExplainer>('bag-explainer')!;
      return e.report && !e.shadowRoot!.querySelector<HTMLElement>('.stage')!.hidden;
    });
  const element = <T>(f: (e: BagExplainer) => T) =>
    d.run(
      (f: string) => (0, eval)(`(${f})`)(document.querySelector('bag-explainer')) as T,
      String(f),
    );
  /** What the element says has failed. */
  const problem = () =>
    element((e) => {
      const said = e.shadowRoot?.querySelector<HTMLElement>('.problem');
      return said && !said.hidden ? said.innerText : '';
    });
  const faults = () =>
    d.run(() => (window as unknown as { faults: string[] }).faults.map((f) => f));

  describe.skipIf(!found)('where it is', () => {
    test('its script comes from another host', async () => {
      await open(line + script(other.url));
      await explained();
      expect(await faults()).toEqual([]);
    });

    test('in a sandboxed frame', async () => {
      const answers = `<script>addEventListener('bag-explained', () => parent.postMessage(origin, '*'))</script>`;
      const inner = page(answers + line.replaceAll(files, other.url + files) + script(other.url));
      await open(
        `<iframe sandbox="allow-scripts" src="${inner}" width="900" height="700"></iframe>
         <script>addEventListener('message', (e) => (document.body.id = 'from-' + e.data))</script>`,
      );
      await until(d, () => document.body.id === 'from-null');
    });

    test('ten in one page, in shadow trees and a page with another base', async () => {
      await open(
        `<base href="${files}/"><div></div>` +
          line.replaceAll(`${files}/`, '').repeat(9) +
          script().replace('src="', `src="${site.url}`),
      );
      await d.run(() => {
        const copy = document.querySelector('bag-explainer')!.cloneNode();
        document.querySelector('div')!.attachShadow({ mode: 'open' }).append(copy);
      });
      await until(d, () => {
        const all = [
          ...document.querySelectorAll<BagExplainer>('bag-explainer'),
          document.querySelector('div')!.shadowRoot!.querySelector<BagExplainer>('bag-explainer')!,
        ];
        return all.length === 10 && all.every((e) => e.report);
      });
      expect(await faults()).toEqual([]);
    });

    test('moved into another document it keeps its style', async () => {
      await open(line + script());
      await explained();
      await d.run(() => {
        const frame = document.body.appendChild(document.createElement('iframe'));
        frame.contentDocument!.body.append(document.querySelector('bag-explainer')!);
      });
      await until(d, () => {
        const { contentDocument } = document.querySelector('iframe')!;
        const e = contentDocument!.querySelector('bag-explainer')!;
        const help = e.shadowRoot!.querySelector('.unseen')!;
        return contentDocument!.defaultView!.getComputedStyle(help).position === 'absolute';
      });
      expect(await faults()).toEqual([]);
    });
  });

  describe.skipIf(!found)('what a page forbids is named with its remedy', () => {
    test('workers', async () => {
      await open(line + script(), "worker-src 'none'");
      await expect
        .poll(problem, patience)
        .toMatch(/the engine's worker .*must allow it by worker-src/);
    });

    /** A script that runs lines in the engine's workers before the engine's first message. */
    const inWorkers = (lines: string) => `<script>
      window.Own = Worker;
      window.Worker = class extends Own {
        constructor(url, options) {
          const text = 'import ' + JSON.stringify(String(url)) + ';' + ${JSON.stringify(lines)};
          super(URL.createObjectURL(new Blob([text], { type: 'text/javascript' })), options);
        }
      };
      </script>`;

    test('WebAssembly', async () => {
      // Not by a policy, which this WebKit ignores.
      await open(inWorkers('delete globalThis.WebAssembly') + line + script());
      await expect
        .poll(problem, patience)
        .toContain("allow it by script-src 'wasm-unsafe-eval' in the page's");
      expect(await faults()).toEqual([]);
      await open(line + script());
      await explained();
    });

    test('a host that sends a page instead of the engine', async () => {
      const page = JSON.stringify(`${site.url}${files}/README.md`);
      await open(
        inWorkers(`const own = fetch; globalThis.fetch = () => own(${page})`) + line + script(),
      );
      await expect.poll(problem, patience).toContain('is not its program, or is not complete');
      await d.run(() => void Object.assign(window, { Worker: (window as { Own?: object }).Own }));
      // Another attribute asks again.
      await element((e) => e.setAttribute('method', 'single'));
      await explained();
      expect(await problem()).toBe('');
      expect(await faults()).toEqual([]);
    });
  });

  describe.skipIf(!found)('while the page changes it', () => {
    test('files that are set before it is defined, and after', async () => {
      await open('<bag-explainer loading="eager" settings="mnist"></bag-explainer>');
      await d.run(
        async (files: string, src: string) => {
          const e = document.querySelector('bag-explainer')!;
          const get = async (name: string) =>
            new File([await (await fetch(`${files}/${name}`)).arrayBuffer()], name);
          e.model = await get('model.onnx');
          e.bag = await get('bags.npz');
          e.out = [1];
          const script = document.createElement('script');
          Object.assign(script, { type: 'module', src });
          document.head.append(script);
        },
        files,
        'wasm/npm/dist/element.js',
      );
      await explained();
      await until(d, () =>
        document
          .querySelector('bag-explainer')!
          .shadowRoot!.textContent!.includes('Prediction without one instance'),
      );
      await element((e) => (e.bag = new File(['x'], 'none.npz')));
      await expect.poll(problem, patience).toContain('none.npz');
    });

    test('removed instances stay out of the prediction under another method', async () => {
      await open(line + script());
      await explained();
      const without = () =>
        element((e) => {
          const told = (e as unknown as { told?: { out: number[]; prediction: object } }).told;
          return told?.out.length === 2 ? JSON.stringify(told.prediction) : '';
        });
      await element((e) => {
        e.addEventListener('bag-predicted', (event) =>
          Object.assign(e, { told: (event as CustomEvent<object>).detail }),
        );
        // The two highest scores of the predicted class, without which another one is predicted.
        const { scores } = e.report!.explanations.find((x) => x.class === 3)!;
        e.out = [...scores.keys()].sort((a, b) => scores[b]! - scores[a]!).slice(0, 2);
      });
      await expect.poll(without, patience).not.toBe('');
      const before = await without();
      expect(before).not.toBe(await element((e) => JSON.stringify(e.prediction)));
      await element((e) => {
        Object.assign(e, { told: undefined });
        e.setAttribute('method', 'single');
      });
      await until(
        d,
        () =>
          document.querySelector<BagExplainer>('bag-explainer')!.report!.explanations[0]!.method ===
          'single',
      );
      await expect.poll(without, patience).toBe(before);
      // Another bag has all its instances.
      await element((e) => e.setAttribute('index', '2'));
      const rest = () =>
        element((e) => [
          e.out.length,
          e.shadowRoot!.querySelector<HTMLElement>('.put')!.hidden,
          e.shadowRoot!.textContent!.includes('Prediction without'),
        ]);
      await expect.poll(rest, patience).toEqual([0, true, false]);
    });

    test('twenty changes at once end in the last one, and none is reported under another name', async () => {
      await open(line + script());
      await explained();
      await d.run(async () => {
        const e = document.querySelector('bag-explainer')!;
        e.addEventListener('bag-explained', (event) => {
          const { method } = (event as CustomEvent<Report>).detail.explanations[0]!;
          if (method !== e.getAttribute('method')) console.error(`${method} is reported late`);
        });
        const methods = ['consensus', 'random_shap', 'single', 'milli', 'guided_lime'];
        for (let i = 0; i < 20; i++) {
          e.setAttribute('method', methods[i % methods.length]!);
          e.setAttribute('index', String(i % 4));
          if (i % 3 === 0) await new Promise((done) => requestAnimationFrame(done));
          if (i % 4 === 0) e.remove();
          if (i % 4 === 0) document.body.append(e);
        }
        e.setAttribute('method', 'single');
        e.setAttribute('index', '2');
      });
      const shown = () =>
        element((e) => [
          e.report!.explanations[0]!.method,
          e.prediction!.prediction.indexOf(Math.max(...e.prediction!.prediction)),
          e.shadowRoot!.querySelector('.status')!.textContent,
        ]);
      await expect
        .poll(shown, patience)
        .toEqual(['single', 2, 'Selecting shows what one digit does; it can then be removed.']);
      expect(await faults()).toEqual([]);
    });

    test('without a bag it does not claim to work', async () => {
      await open(line + script());
      await explained();
      await element((e) => {
        e.setAttribute('method', 'guided_shap');
        e.removeAttribute('bag');
      });
      const status = () => element((e) => e.shadowRoot!.querySelector('.status')!.textContent);
      await expect.poll(status, patience).toBe('');
      expect(await faults()).toEqual([]);
    });

    test('a picture that cannot be drawn leaves none of an earlier bag', async () => {
      await open(line + script());
      await explained();
      await element((e) => {
        e.setAttribute('index', '2');
        e.setAttribute('kind', 'map');
      });
      await expect.poll(problem, patience).toContain('no coordinates');
      const drawn = () =>
        element((e) => !e.shadowRoot!.querySelector<HTMLElement>('.stage')!.hidden);
      expect(await drawn()).toBe(false);
      await element((e) => e.removeAttribute('kind'));
      await expect.poll(drawn, patience).toBe(true);
      expect(await problem()).toBe('');
    });
  });
});
