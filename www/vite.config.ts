import { copyFileSync, createReadStream, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig, type Plugin } from 'vite';
import { fromDisk } from './disk.ts';
import { documentation } from './docs.ts';
import { firstScreen } from './firstscreen.ts';
import { sharedHead } from './head.ts';
import { texts } from './language.ts';
import { licenses } from './licenses.ts';
import { offline } from './offline.ts';
import { poster } from './poster.ts';
import { prerender } from './prerender.ts';
import { storedBags } from './stored.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const examples: Record<string, string> = {
  '/example/model.onnx': here('../examples/digits/model.onnx'),
  '/example/bags.npz': here('../examples/digits/bags.npz'),
  '/example/explanation.png': here('../examples/digits/explanation.png'),
  '/example/tissue/model.onnx': here('../examples/tissue/model.onnx'),
  '/example/tissue/bags.npz': here('../examples/tissue/bags.npz'),
  '/example/machine/model.onnx': here('../examples/machine/model.onnx'),
  '/example/machine/bags.npz': here('../examples/machine/bags.npz'),
};

/** Puts the bundled examples beside the pages, without a second copy of them in the tree. */
export function bundledExample(): Plugin {
  return {
    name: 'bundled-example',
    configureServer(server) {
      server.middlewares.use((request, response, next) => {
        const file = examples[request.url ?? ''];
        if (file && existsSync(file)) createReadStream(file).pipe(response);
        else next();
      });
    },
    generateBundle() {
      for (const [path, file] of Object.entries(examples))
        this.emitFile({ type: 'asset', fileName: path.slice(1), source: readFileSync(file) });
    },
  };
}

/**
 * The development server puts styles into the page, which the page's policy forbids; what is built
 * keeps the policy.
 */
function policyOnlyInBuild(): Plugin {
  return {
    name: 'policy-only-in-build',
    apply: 'serve',
    transformIndexHtml: (html) =>
      html.replace(/<meta\s+http-equiv="Content-Security-Policy"[^>]*>/, ''),
  };
}

/**
 * Copies the headers of `bagscope serve` for hosts that read them from a file. Such a host does not
 * answer that file, so that it must not be among those that the service worker keeps.
 */
function hostHeaders(): Plugin {
  return {
    name: 'host-headers',
    apply: 'build',
    writeBundle: ({ dir }) =>
      copyFileSync(here('../tools/service/site/_headers'), join(dir!, '_headers')),
  };
}

const bundled = licenses();

/** Whether a module is a small part of several pages; parts of the package have no names. */
const isSmall = (id: string) =>
  /\/(lib\/(canvas|engine|focus)|site\/files|en\/read)\.ts$|\.wasm/.test(id) ||
  (/\/npm\/dist\/shared-\w+\.js$/.test(id) && statSync(id).size < 2500);

export default defineConfig({
  base: './',
  plugins: [
    svelte(),
    poster(),
    storedBags(),
    sharedHead(),
    prerender(),
    bundledExample(),
    firstScreen(),
    fromDisk(),
    documentation(),
    bundled.site,
    offline(),
    hostHeaders(),
    policyOnlyInBuild(),
  ],
  define: texts.define,
  resolve: {
    alias: [
      ...texts.alias,
      {
        find: /^bagscope\/(bagscope|bagscope-gpu|codec)\.wasm/,
        replacement: here('../wasm/npm/dist/') + '$1.wasm',
      },
      {
        find: /^bagscope\/(element|openseadragon|patches)$/,
        replacement: here('../wasm/npm/dist/') + '$1.js',
      },
      { find: /^bagscope$/, replacement: here('../wasm/npm/dist/index.js') },
    ],
  },
  // One file for all that reads pictures and features: the page can fetch it before it forbids
  // itself to fetch.
  worker: {
    format: 'es',
    plugins: () => [bundled.worker()],
    rolldownOptions: { output: { codeSplitting: false } },
  },
  server: { fs: { allow: [here('..')] } },
  build: {
    target: 'es2022',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        // Small parts of several pages in one file: each file is a request of the first screen.
        codeSplitting: {
          groups: [{ name: 'pages', test: isSmall }],
          includeDependenciesRecursively: false,
        },
      },
      input: [
        'index.html',
        'look/index.html',
        'embed/index.html',
        'python/index.html',
        'docs/index.html',
      ].map(here),
    },
  },
});
