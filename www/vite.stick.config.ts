// The pages of `make stick`: the article and the explorer, each in one file that opens by a double
// click. STICK names the page.
import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';
import { firstScreen } from './firstscreen.ts';
import { sharedHead } from './head.ts';
import { oneFile } from './onefile.ts';
import { poster } from './poster.ts';
import { storedBags } from './stored.ts';
import site, { bundledExample } from './vite.config.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const pages = {
  learn: {
    page: 'index.html',
    file: 'lesson.html',
    reads: /^(example\/.*(onnx|npz)|learn\/.*png)$/,
  },
  look: {
    page: 'look/index.html',
    file: 'look.html',
    reads: /^example\/((tissue\/)?model\.onnx|bags\.npz)$/,
  },
};
const { page, file, reads } = pages[process.env.STICK as keyof typeof pages];

export default defineConfig({
  base: './',
  plugins: [
    svelte(),
    poster({ inside: true }),
    storedBags(),
    sharedHead(),
    bundledExample(),
    firstScreen(),
    oneFile(file, reads),
  ],
  define: site.define,
  resolve: {
    alias: [
      { find: /^bagscope$/, replacement: here('../wasm/npm/dist/embedded.js') },
      { find: /^(\.\.\/)+site\/files$/, replacement: here('src/site/onefile.ts') },
      { find: /^\.\/workerfile$/, replacement: here('src/look/read/workertext.ts') },
      ...(site.resolve!.alias as []),
    ],
  },
  worker: { format: 'iife' },
  experimental: {
    renderBuiltUrl: (name, { hostType }) =>
      hostType === 'js' ? { runtime: JSON.stringify(name) } : { relative: true },
  },
  build: {
    outDir: here('../build/stick'),
    emptyOutDir: false,
    target: 'es2022',
    modulePreload: false,
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1e5,
    rolldownOptions: { input: here(page), output: { codeSplitting: false } },
  },
});
