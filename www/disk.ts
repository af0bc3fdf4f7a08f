// What a page says that was opened from a disk: browsers run no modules there, so that it looks
// complete and does nothing. The script is a classic one, which they run.
import type { Plugin } from 'vite';
import { escape } from './docs/build/escape.ts';
import { allowed } from './firstscreen.ts';
import { withTexts } from './language.ts';
import type { Strings } from './src/strings/index.ts';

const SCRIPT = "if (location.protocol === 'file:') document.getElementById('disk').hidden = false;";
const POLICY = "script-src 'self'";

/** Puts the notice into each page, hidden, and its script's hash into the page's policy. */
export function fromDisk(): Plugin {
  return {
    name: 'from-disk',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      async handler(html, { path }) {
        if (!html.includes(POLICY)) throw new Error(`the policy of ${path} has no ${POLICY}`);
        const { heads } = await withTexts<Strings>('src/strings/index.ts');
        const notice =
          `<p id="disk" class="disk" role="alert" hidden>${escape(heads.fromDisk)} ` +
          '<code>bagscope serve --share --site FOLDER</code></p>';
        return html
          .replace(POLICY, `${POLICY} ${allowed(SCRIPT)}`)
          .replace('</body>', () => `${notice}<script>${SCRIPT}</script>\n  </body>`);
      },
    },
  };
}
