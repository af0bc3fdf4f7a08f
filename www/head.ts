// What the build writes into the heads of the pages: what all share, and their texts.
import { readFileSync } from 'node:fs';
import type { Plugin } from 'vite';
import { escape } from './docs/build/escape.ts';
import { language, withTexts } from './language.ts';
import type { Strings } from './src/strings/index.ts';

const PLACE = '<!--head-->';
const file = new URL('./head.html', import.meta.url);

type Pages = Strings['heads']['pages'];

/** The pages whose heads have texts of their own; those of the documentation come with its pages. */
const pages: Record<string, keyof Pages> = {
  '/index.html': 'learn',
  '/look/index.html': 'look',
  '/embed/index.html': 'embed',
  '/python/index.html': 'python',
};

/** Puts head.html, title and description into a page, and states its language. A page without the place for it is an error. */
export function sharedHead(): Plugin {
  return {
    name: 'shared-head',
    transformIndexHtml: {
      order: 'pre',
      async handler(html, { path }) {
        if (!html.includes(PLACE)) throw new Error(`${path} does not contain ${PLACE}`);
        const { heads, site } = await withTexts<Strings>('src/strings/index.ts');
        const shared = readFileSync(file, 'utf8').trimEnd();
        const own = pages[path] && heads.pages[pages[path]];
        const head = own
          ? `${shared}<title>${escape(own.title)}</title>` +
            `<meta name="description" content="${escape(own.description)}" />`
          : shared;
        return html
          .replace('<html>', `<html lang="${language}" dir="${site.direction}">`)
          .replace('<!--no script-->', () => escape(heads.noScript))
          .replace(PLACE, () => head);
      },
    },
  };
}
