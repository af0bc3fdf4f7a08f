// The programs and pages of examples/ that the page shows: each is run by a test there.
import program from '../../../examples/bundlers/src/app.js?raw';
import hugo from '../../../examples/hugo/layouts/shortcodes/bag.html?raw';
import mkdocs from '../../../examples/mkdocs/mkdocs.yml?raw';
import node from '../../../examples/node/explain.mjs?raw';
import plain from '../../../examples/plain/index.html?raw';
import vitepress from '../../../examples/vitepress/docs/.vitepress/config.mjs?raw';
import theme from '../../../examples/vitepress/docs/.vitepress/theme/index.js?raw';

export interface Listing {
  /** Where it stands below examples/. */
  name: string;
  code: string;
}

export { node, program };

/** What each kind of site has to be told. */
export const sites: Record<'plain' | 'mkdocs' | 'hugo' | 'vitepress', Listing[]> = {
  plain: [{ name: 'plain/index.html', code: plain }],
  mkdocs: [{ name: 'mkdocs/mkdocs.yml', code: mkdocs }],
  hugo: [{ name: 'hugo/layouts/shortcodes/bag.html', code: hugo }],
  vitepress: [
    { name: 'vitepress/docs/.vitepress/config.mjs', code: vitepress },
    { name: 'vitepress/docs/.vitepress/theme/index.js', code: theme },
  ],
};

/** Commands that tests run as they stand here. */
export const install = 'npm install bagscope';
export const onePage =
  'npx bagscope-page --model model.onnx --bag bags.npz --settings mnist --out page.html';

export const stored =
  'bagscope embed --model model.onnx --bag bags.npz --model-url /model.onnx --bag-url /bags.npz --out explained.html';

/** What a page's policy has to allow. */
export const policy = "script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'";
