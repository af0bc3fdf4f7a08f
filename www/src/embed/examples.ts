// The programs and pages of examples/ that the page shows: each is run by a test there.
import program from '../../../examples/bundlers/src/app.js?raw';
import hugo from '../../../examples/hugo/layouts/shortcodes/bag.html?raw';
import page from '../../../examples/sites/pages/index.md?raw';
import astro from '../../../examples/sites/astro/astro.config.mjs?raw';
import docusaurus from '../../../examples/sites/docusaurus/docusaurus.config.js?raw';
import eleventy from '../../../examples/sites/eleventy/layouts/page.html?raw';
import jupyter from '../../../examples/sites/jupyter-book/_config.yml?raw';
import mkdocs from '../../../examples/sites/mkdocs/mkdocs.yml?raw';
import sphinx from '../../../examples/sites/sphinx/conf.py?raw';
import scheme from '../../../examples/sites/sphinx/files/scheme.css?raw';
import node from '../../../examples/node/explain.mjs?raw';
import plain from '../../../examples/plain/index.html?raw';
import vitepress from '../../../examples/vitepress/docs/.vitepress/config.mjs?raw';
import theme from '../../../examples/vitepress/docs/.vitepress/theme/index.js?raw';
import sizes from '../../../tools/dev/sizes/sizes.json';

export interface Listing {
  /** Where it stands below examples/. */
  name: string;
  code: string;
}

export { node, page, program };

/** What each kind of site has to be told. */
export const sites = {
  plain: [{ name: 'plain/index.html', code: plain }],
  mkdocs: [{ name: 'sites/mkdocs/mkdocs.yml', code: mkdocs }],
  docusaurus: [{ name: 'sites/docusaurus/docusaurus.config.js', code: docusaurus }],
  astro: [{ name: 'sites/astro/astro.config.mjs', code: astro }],
  eleventy: [{ name: 'sites/eleventy/layouts/page.html', code: eleventy }],
  sphinx: [
    { name: 'sites/sphinx/conf.py', code: sphinx },
    { name: 'sites/sphinx/files/scheme.css', code: scheme },
  ],
  jupyter: [{ name: 'sites/jupyter-book/_config.yml', code: jupyter }],
  hugo: [{ name: 'hugo/layouts/shortcodes/bag.html', code: hugo }],
  vitepress: [
    { name: 'vitepress/docs/.vitepress/config.mjs', code: vitepress },
    { name: 'vitepress/docs/.vitepress/theme/index.js', code: theme },
  ],
} satisfies Record<string, Listing[]>;

/** What a browser downloads of the engine, in MB. */
export const engineSizes = [sizes['bagscope.wasm, brotli'], sizes['bagscope.wasm, gzip']].map(
  (bytes) => (bytes / 1e6).toFixed(1),
) as [brotli: string, gzip: string];

/** Commands that tests run as they stand here. */
export const install = 'npm install bagscope';
export const onePage =
  'npx bagscope-page --model model.onnx --bag bags.npz --settings mnist --out page.html';

export const stored =
  'bagscope embed --model model.onnx --bag bags.npz --model-url /model.onnx --bag-url /bags.npz --out explained.html';

/** What a page's policy has to allow. */
export const policy = "script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'";
