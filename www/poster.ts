// What the first screen shows while the engine loads: the example's explanation, made by the same
// engine when the site is built, so that it is what the page then computes itself.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Engine, Prediction } from 'bagscope';
import type { Plugin } from 'vite';
import { withTexts } from './language.ts';
import { labelled } from './src/look/map/labels.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The picture of a window of 1280 x 720 pixels: its frame, and its cells. */
const drawing = { width: 929, height: 560, cell: 56 };
/**
 * Pixels of the picture to one of the page: phones show it smaller, and need no more than the
 * first.
 */
const scales = [1, 2];

/**
 * What stands for a picture's address in HTML that is rendered before the pictures have their
 * names.
 */
const STANDS = /poster:([a-z]+-\d\.png)/g;

/**
 * Provides the module virtual:poster, and puts addresses into HTML that was rendered with it. With
 * `inside` the addresses hold the pictures themselves.
 */
export function poster({ inside = false } = {}): Plugin {
  const id = 'virtual:poster';
  let building = false;
  let server = false;
  return {
    name: 'poster',
    config(_, { command, isSsrBuild }) {
      [building, server] = [command === 'build', isSsrBuild === true];
    },
    resolveId: (asked) => (asked === id ? '\0' + id : undefined),
    async load(asked) {
      if (asked !== '\0' + id) return;
      const { pictures, ...rest } = await explained();
      const address = ({ name, png }: Drawn) => {
        if (server) return JSON.stringify(`poster:${name}`);
        if (inside || !building)
          return JSON.stringify(`data:image/png;base64,${Buffer.from(png).toString('base64')}`);
        return `import.meta.ROLLUP_FILE_URL_${this.emitFile({ type: 'asset', name, source: png })}`;
      };
      const set = (theme: string) =>
        pictures
          .filter((p) => p.theme === theme)
          .map((p) => `\${${address(p)}} ${p.pixels}w`)
          .join(', ');
      return (
        `export default { light: \`${set('light')}\`, dark: \`${set('dark')}\`, ` +
        `...${JSON.stringify(rest)} };`
      );
    },
    transformIndexHtml: {
      order: 'post',
      handler: (html, { bundle, path }) =>
        html.replace(STANDS, (_, name: string) => {
          const file = Object.values(bundle ?? {}).find(
            (f) => f.type === 'asset' && f.names.includes(name),
          );
          if (!file) throw new Error(`the build has no picture ${name}`);
          return '../'.repeat(path.split('/').length - 2) + file.fileName;
        }),
    },
  };
}

let explaining: ReturnType<typeof explainExample> | undefined;

// Asked for by the page and by what renders it as HTML.
const explained = () => (explaining ??= explainExample());

interface Drawn {
  name: string;
  theme: 'light' | 'dark';
  pixels: number;
  png: Uint8Array;
}

async function explainExample() {
  const { load } = (await import(here('../wasm/npm/dist/node.js'))) as { load(): Promise<Engine> };
  const { legend, methodNotes } =
    await withTexts<typeof import('./src/look/map/legend.ts')>('src/look/map/legend.ts');
  const engine = await load();
  try {
    const model = await engine.open(readFileSync(here('../examples/digits/model.onnx')), {
      name: 'digits.onnx',
    });
    const bag = await engine.bag(readFileSync(here('../examples/digits/bags.npz')), {
      name: 'digits.npz',
    });
    const whole = await model.predict(bag);
    // The graph's raw outputs are long, typed arrays, and not shown.
    const prediction: Prediction = { ...whole, outputs: [] };
    const report = await model.explain(bag, { method: 'consensus', seed: 0 });
    const names = prediction.classes;
    const { room } = labelled(names, drawing.width);
    const draw = async (theme: 'light' | 'dark', scale: number) => {
      const picture = await engine.draw(bag, report, {
        ...drawing,
        scale,
        dark: theme === 'dark',
        nameWidth: room,
        classes: names.map((_, c) => c), // their order in the page, which puts the names
        sorted: true,
      });
      const drawn: Drawn = {
        name: `${theme}-${scale}.png`,
        theme,
        pixels: picture.width,
        png: await picture.png(),
      };
      return { ...drawn, width: picture.width, height: picture.height, names: picture.names };
    };
    const all = [];
    for (const theme of ['light', 'dark'] as const)
      for (const scale of scales) all.push(await draw(theme, scale));
    // At a scale of 1 its lengths are those of the page.
    const { width, height, names: places } = all[0]!;
    return {
      prediction,
      summary: report.summary,
      notes: methodNotes(report.explanations, (c) => names[c]!),
      legend: legend(report.explanations, report.explanations, (c) => names[c]!),
      pictures: all as Drawn[],
      width,
      height,
      names: places,
    };
  } finally {
    engine.close();
  }
}
