// What the first screen shows while the engine loads: the example's explanation, made by the same engine when the
// site is built, so that it is what the page then computes itself.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Cell, Engine, Prediction } from 'bagscope';
import type { Plugin } from 'vite';
import { labelled } from './src/look/lib/labels.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Side by side with the picture in the page: its width at 1280 pixels, and its cells. */
const drawing = { width: 816, cell: 52, scale: 2 };

/** Provides the module virtual:poster. */
export function poster(): Plugin {
  const id = 'virtual:poster';
  let building = false;
  return {
    name: 'poster',
    config: (_, { command }) => void (building = command === 'build'),
    resolveId: (asked) => (asked === id ? '\0' + id : undefined),
    async load(asked) {
      if (asked !== '\0' + id) return;
      const { prediction, pictures, ...laid } = await explainExample();
      const urls = pictures.map(({ theme, png }) => {
        if (!building) return JSON.stringify(`data:image/png;base64,${Buffer.from(png).toString('base64')}`);
        return `import.meta.ROLLUP_FILE_URL_${this.emitFile({ type: 'asset', name: `${theme}.png`, source: png })}`;
      });
      const { width, height } = pictures[0]!;
      return `export default {
        prediction: ${JSON.stringify(prediction)},
        width: ${width}, height: ${height}, light: ${urls[0]}, dark: ${urls[1]},
        ...${JSON.stringify(laid)},
      };`;
    },
  };
}

async function explainExample() {
  const { load } = (await import(here('../wasm/npm/dist/node.js'))) as { load(): Promise<Engine> };
  const engine = await load();
  try {
    const model = await engine.open(readFileSync(here('../examples/digits/model.onnx')), {
      name: 'digits.onnx',
    });
    const bag = await engine.bag(readFileSync(here('../examples/digits/bags.npz')), { name: 'digits.npz' });
    const whole = await model.predict(bag);
    // The graph's raw outputs are long, typed arrays, and not shown.
    const prediction: Prediction = { ...whole, outputs: [] };
    const report = await model.explain(bag, { method: 'milli', settings: 'mnist', samples: 1000, seed: 0 });
    const names = prediction.classes;
    const { blank } = labelled(names, drawing.width);
    const draw = async (theme: 'light' | 'dark') => {
      const picture = await engine.draw(bag, report, {
        ...drawing,
        dark: theme === 'dark',
        classNames: names.map(() => blank),
      });
      const { scale } = drawing;
      return {
        theme,
        width: picture.width / scale,
        height: picture.height / scale,
        png: await picture.png(),
        cells: picture.cells,
      };
    };
    const pictures = [await draw('light'), await draw('dark')];
    const small = ({ x, y, width, height, ...cell }: Cell) => {
      const [l, t, w, h] = [x, y, width, height].map((v) => v / drawing.scale) as [
        number,
        number,
        number,
        number,
      ];
      return { ...cell, x: l, y: t, width: w, height: h };
    };
    // The first cell of a row is what a name stands beside.
    const lefts = pictures[0]!.cells.filter(
      (c, _, all) =>
        c.class !== null && c.x === Math.min(...all.filter((o) => o.class !== null).map((o) => o.x)),
    );
    const head = Math.min(...pictures[0]!.cells.map((c) => c.y)) / drawing.scale - 2;
    return { prediction, pictures, names, head, cells: lefts.map(small) };
  } finally {
    engine.close();
  }
}
