// Pages as HTML in themselves, so that there is something to read before their scripts have come,
// and without them.
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Alias, type Plugin, type Rolldown } from 'vite';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { language, texts } from './language.ts';
import { poster } from './poster.ts';
import { storedBags } from './stored.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** What a page has where its HTML goes, and the module that renders it. */
const places: Record<string, string> = {
  '<!--article-->': 'src/learn/server.ts',
  '<!--studio-->': 'src/look/server.ts',
  '<!--embed-->': 'src/embed/server.ts',
  '<!--python-->': 'src/python/server.ts',
  '<!--docs-->': 'src/docs/server.ts',
};

/** Puts what the server modules render into the pages that have the places for it. */
export function prerender(): Plugin {
  let alias: Alias[] = [];
  return {
    name: 'prerender',
    apply: 'build',
    configResolved: ({ resolve }) => void (alias = resolve.alias),
    transformIndexHtml: {
      order: 'pre',
      async handler(html) {
        for (const [place, module] of Object.entries(places)) {
          if (!html.includes(place)) continue;
          const text = await rendered(module, alias);
          // A function: the text may hold what `replace` would read as a pattern.
          html = html.replace(place, () => text);
        }
        return html;
      },
    },
  };
}

async function rendered(module: string, alias: Alias[]): Promise<string> {
  const result = (await build({
    root: here('.'),
    configFile: false,
    logLevel: 'warn',
    plugins: [svelte(), storedBags(), poster()],
    resolve: { alias },
    define: texts.define,
    ssr: { noExternal: true },
    build: {
      ssr: module,
      write: false,
      assetsInlineLimit: 0,
      // The engine and what only it answers is loaded by a page that is alive.
      rolldownOptions: { external: ['./live'], output: { codeSplitting: false } },
    },
  })) as Rolldown.RolldownOutput;
  const folder = here('node_modules/.prerender/');
  mkdirSync(folder, { recursive: true });
  const file = `${folder}${module.split('/')[1]}-${language}.mjs`;
  writeFileSync(file, result.output[0].code);
  // The name says that it is another file when it was written anew.
  const { render } = (await import(`${pathToFileURL(file)}?${Date.now()}`)) as { render(): string };
  return render();
}
