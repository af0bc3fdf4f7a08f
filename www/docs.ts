// The documentation in the site: docs/build/files.ts writes its files.
import { readFileSync } from 'node:fs';
import type { Plugin } from 'vite';
import type { Sheet } from './docs/build/worksheets.ts';
import { withTexts } from './language.ts';
import { bagOf } from './src/learn/bags.ts';
import { made } from './stored.ts';

const TEMPLATE = 'docs/index.html';

/** Writes the pages, the index of the search and the schema of model cards beside docs/index.html. */
export function documentation(): Plugin {
  return {
    name: 'documentation',
    generateBundle: {
      order: 'post',
      async handler(_, bundle) {
        const template = bundle[TEMPLATE];
        if (template?.type !== 'asset') throw new Error(`the build has no ${TEMPLATE}`);
        const { files, SCHEMA } =
          await withTexts<typeof import('./docs/build/files.ts')>('docs/build/files.ts');
        const { 'index.html': index, ...others } = files(String(template.source), await sheets());
        template.source = index!;
        for (const [name, source] of Object.entries(others))
          this.emitFile({ type: 'asset', fileName: `docs/${name}`, source });
        this.emitFile({
          type: 'asset',
          fileName: `docs/${SCHEMA}`,
          source: readFileSync(new URL(`../onnxbackend/${SCHEMA}`, import.meta.url)),
        });
      },
    },
  };
}

/** The bags of the article that worksheets show: those of pictures. */
async function sheets(): Promise<Sheet[]> {
  const pictured = [...(await made())].filter(([, { sprite }]) => sprite);
  return pictured.map(([key, { stored }]) => {
    const { noun, look } = bagOf(key);
    return { key, noun, ink: look === 'ink', ...stored };
  });
}
