// The unit tests of the page with changed files: the environment names a JSON file of their texts by
// path. Files of the tree are not edited.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import site from '../../../../www/vitest.config.ts';

const texts = JSON.parse(readFileSync(process.env.MUTANTS_OVERLAY, 'utf8'));

const overlay = {
  name: 'overlay',
  enforce: 'pre',
  load: (id) => texts[id.split('?')[0]],
};

export default {
  ...site,
  plugins: [overlay, ...site.plugins],
  cacheDir: process.env.MUTANTS_CACHE,
  test: {
    ...site.test,
    setupFiles: [fileURLToPath(new URL('reached.mjs', import.meta.url))],
  },
};
