// What the heads of all pages share. Policies, titles and descriptions stand in the pages.
import { readFileSync } from 'node:fs';
import type { Plugin } from 'vite';

const PLACE = '<!--head-->';
const file = new URL('./head.html', import.meta.url);

/** Puts head.html into a page. A page without the place for it is an error. */
export function sharedHead(): Plugin {
  return {
    name: 'shared-head',
    transformIndexHtml: {
      order: 'pre',
      handler(html, { path }) {
        if (!html.includes(PLACE)) throw new Error(`${path} does not contain ${PLACE}`);
        const head = readFileSync(file, 'utf8');
        return html.replace(PLACE, () => head.trimEnd());
      },
    },
  };
}
