// Pages as HTML in themselves, so that they can be read before their script has come, and without one.
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin, type Rolldown } from 'vite';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { storedBags } from './stored.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** What stands in a page, and the module that renders what goes there. */
const places = { '<!--article-->': 'src/learn/server.ts', '<!--embed-->': 'src/embed/server.ts' };

/** Puts what a module renders into the page that has the place for it. */
export function prerender(): Plugin {
  return {
    name: 'prerender',
    apply: 'build',
    transformIndexHtml: {
      order: 'pre',
      async handler(html) {
        for (const [place, module] of Object.entries(places)) {
          if (!html.includes(place)) continue;
          const text = await rendered(module);
          // A function: the text may hold what `replace` would read as a pattern.
          return html.replace(place, () => text);
        }
      },
    },
  };
}

async function rendered(module: string): Promise<string> {
  const result = (await build({
    root: here('.'),
    configFile: false,
    logLevel: 'warn',
    plugins: [svelte(), storedBags()],
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
  const file = folder + module.replaceAll('/', '-').replace(/ts$/, 'mjs');
  writeFileSync(file, result.output[0].code);
  // The name says that it is another file when it was written anew.
  const { render } = (await import(`${pathToFileURL(file)}?${Date.now()}`)) as { render(): string };
  return render();
}
