// Learn in another language: its page and small files in a folder of the site, which SITE_FOLDER
// names, and its assets beside those of the site, most of which are the same files.
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';
import { folder } from './language.ts';
import { offline } from './offline.ts';
import site from './vite.config.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Plugins of the site that write what all languages share, and the one that is given anew. */
const shared = ['documentation', 'host-headers', 'offline'];

/** Moves the assets to those of the site; pages find them there. */
function sharedAssets(): Plugin {
  return {
    name: 'shared-assets',
    generateBundle: {
      order: 'post',
      handler(_, bundle) {
        for (const file of Object.values(bundle))
          if (file.type === 'asset' && file.fileName.endsWith('.html'))
            file.source = String(file.source).replace(/((?:\.{1,2}\/)+)assets\//g, '../$1assets/');
      },
    },
    writeBundle({ dir }, bundle) {
      for (const name of Object.keys(bundle))
        if (name.startsWith('assets/')) renameSync(join(dir!, name), join(dir!, '..', name));
      rmSync(join(dir!, 'assets'), { recursive: true });
    },
  };
}

const plugins = site.plugins!.flat().filter((plugin) => {
  return !(plugin && 'name' in plugin && shared.includes(plugin.name));
});

export default defineConfig({
  ...site,
  plugins: [...plugins, sharedAssets(), offline('../')],
  build: {
    ...site.build,
    outDir: here(`dist/${folder}`),
    emptyOutDir: true,
    rolldownOptions: {
      ...site.build!.rolldownOptions,
      input: here('index.html'),
    },
  },
});
