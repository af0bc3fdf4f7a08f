// The article as HTML in the page itself, so that it can be read before its script has come, and without one.
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin, type Rolldown } from 'vite';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { storedBags } from './stored.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const PLACE = '<!--article-->';

/** Puts what src/learn/server.ts renders into the page that has the place for it. */
export function prerender(): Plugin {
  return {
    name: 'prerender',
    apply: 'build',
    transformIndexHtml: {
      order: 'pre',
      async handler(html) {
        // A function: the article may hold what `replace` would read as a pattern.
        if (!html.includes(PLACE)) return;
        const text = await article();
        return html.replace(PLACE, () => text);
      },
    },
  };
}

async function article(): Promise<string> {
  const result = (await build({
    root: here('.'),
    configFile: false,
    logLevel: 'warn',
    plugins: [svelte(), storedBags()],
    ssr: { noExternal: true },
    build: {
      ssr: 'src/learn/server.ts',
      write: false,
      assetsInlineLimit: 0,
      // The engine and what only it answers is loaded by a page that is alive.
      rolldownOptions: { external: ['./live'], output: { codeSplitting: false } },
    },
  })) as Rolldown.RolldownOutput;
  const folder = here('node_modules/.prerender/');
  mkdirSync(folder, { recursive: true });
  const file = folder + 'article.mjs';
  writeFileSync(file, result.output[0].code);
  // The name says that it is another file when it was written anew.
  const { render } = (await import(`${pathToFileURL(file)}?${Date.now()}`)) as { render(): string };
  return render();
}
