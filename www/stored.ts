// What the article shows before its engine is there: every prepared bag, explained by the same
// engine when the site is built, and a picture of its instances side by side.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Bag, Engine } from 'bagscope';
import type { Plugin } from 'vite';
import { allowed } from './firstscreen.ts';
import { language } from './language.ts';
import { png } from './png.ts';
import { bags, first, type Prepared } from './src/learn/bags.ts';
import {
  coalitionsOf,
  explainAll,
  facts,
  fitTo,
  ranked,
  resultsOf,
  trustOf,
  usual,
  valuesOf,
  verdicts,
  type Stored,
} from './src/learn/results.ts';
import { together } from './src/learn/together.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Where the files of a prepared bag lie in the tree; below example/ in the site. */
const source = (entry: Prepared, name: string) =>
  readFileSync(here(`../examples/${entry.files || 'digits/'}${name}`));

interface Made {
  stored: Stored;
  sprite: Buffer | null;
}

let making: Promise<Map<string, Made>> | undefined;

/** All prepared bags by key, explained once however often they are asked for. */
export function made(): Promise<Map<string, Made>> {
  return (making ??= explainAllBags());
}

async function explainAllBags(): Promise<Map<string, Made>> {
  const { load } = (await import(here('../wasm/npm/dist/node.js'))) as { load(): Promise<Engine> };
  const engine = await load();
  try {
    const all = new Map<string, Made>();
    for (const entry of bags) all.set(entry.key, await explain(engine, entry));
    return all;
  } finally {
    engine.close();
  }
}

async function explain(engine: Engine, entry: Prepared): Promise<Made> {
  const model = await engine.open(source(entry, 'model.onnx'));
  const bag = await engine.bag(source(entry, 'bags.npz'), { name: 'bags.npz', index: entry.index });
  const known = await facts(engine, model, bag);
  const report = await explainAll(model, bag, usual);
  const all = resultsOf(report);
  const coalitions = coalitionsOf(ranked(all, known.negative, entry.face, usual.seed), usual);
  const stored: Stored = {
    ...known,
    results: all,
    trust: await trustOf(model, bag, usual),
    verdicts: verdicts(await model.judge(bag, report)),
    coalitions,
    values: await valuesOf(model, bag, coalitions),
    fit: await fitTo(model, bag, coalitions, usual),
    together: await together(model, bag, known.classes.length),
  };
  return { stored, sprite: await sprite(bag) };
}

/** The instances of a bag of pictures in one row; null for others. */
async function sprite(bag: Bag): Promise<Buffer | null> {
  const [channels, height, width] = bag.shape;
  if (bag.shape.length !== 3 || !bag.raw || (channels !== 1 && channels !== 3)) return null;
  const k = bag.instances;
  const values = await bag.values();
  const pixels = new Uint8Array(k * height! * width! * channels);
  for (let i = 0; i < k; i++)
    for (let c = 0; c < channels; c++)
      for (let y = 0; y < height!; y++)
        for (let x = 0; x < width!; x++)
          pixels[(y * k * width! + i * width! + x) * channels + c] =
            values[((i * channels + c) * height! + y) * width! + x]!;
  return png(k * width!, height!, channels, pixels);
}

/** As JSON, with as many digits as the page can show: near 1 the distance from 1 counts. */
export function json(value: unknown): string {
  return JSON.stringify(value, (_, x: unknown) =>
    typeof x === 'number'
      ? Number(x.toPrecision(Math.abs(x) > 0.99 && Math.abs(x) < 1 ? 8 : 5))
      : x,
  );
}

/**
 * An expression of the value. Browsers read JSON in half the time that they take for the same in
 * JavaScript.
 */
const parsed = (value: unknown) => `JSON.parse('${json(value).replace(/[\\']/g, '\\$&')}')`;

const FIRST = 'virtual:learn/first';
const BAG = /^virtual:learn\/bag\/(\w+)$/;

/** Leads to the first page of the site, with what the address asks for. */
const LEAD = "location.replace('../' + location.search + location.hash)";

/** Learn is the first page of the site: the folder of its pictures leads there. */
const ELSEWHERE = `<!doctype html>
<html lang="${language}">
  <head>
    <meta charset="utf-8" />
    <meta
      http-equiv="Content-Security-Policy"
      content="default-src 'none'; script-src ${allowed(LEAD)}"
    />
    <script>${LEAD}</script>
    <noscript><meta http-equiv="refresh" content="0; url=../" /></noscript>
    <link rel="canonical" href="../" />
    <title>bagscope</title>
  </head>
  <body>
    <a href="../">bagscope</a>
  </body>
</html>
`;

/**
 * Provides virtual:learn/first, with the first bag and loaders of the others, and the pictures
 * learn/KEY.png.
 */
export function storedBags(): Plugin {
  return {
    name: 'stored-bags',
    resolveId: (asked) => (asked === FIRST || BAG.test(asked) ? '\0' + asked : undefined),
    async load(asked) {
      if (!asked.startsWith('\0')) return;
      const id = asked.slice(1);
      const [, key] = BAG.exec(id) ?? [];
      if (id !== FIRST && !key) return;
      const all = await made();
      if (key) return `export default ${parsed(all.get(key)!.stored)};`;
      const others = bags
        .filter((b) => b !== first)
        .map((b) => `${b.key}: () => import('virtual:learn/bag/${b.key}')`);
      return (
        `export const stored = ${parsed(all.get(first.key)!.stored)};\nexport const ` +
        `others = { ${others.join(', ')} };`
      );
    },
    configureServer(server) {
      server.middlewares.use((request, response, next) => {
        const [, key] = /^\/learn\/(\w+)\.png$/.exec(request.url ?? '') ?? [];
        if (!key) return next();
        void made().then((all) => response.end(all.get(key)?.sprite));
      });
    },
    async generateBundle() {
      this.emitFile({ type: 'asset', fileName: 'learn/index.html', source: ELSEWHERE });
      for (const [key, { sprite }] of await made())
        if (sprite) this.emitFile({ type: 'asset', fileName: `learn/${key}.png`, source: sprite });
    },
  };
}
