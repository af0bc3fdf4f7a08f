// Pages of other people's: the element under a strict policy, and the page in one file.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { onePage, policy } from '../../src/embed/examples';

export const root = fileURLToPath(new URL('../../..', import.meta.url));

/** A folder with the bundled model and its bags. */
function examples(): string {
  const folder = mkdtempSync(join(tmpdir(), 'bagscope-page-'));
  for (const name of ['model.onnx', 'bags.npz'])
    cpSync(join(root, 'examples/digits', name), join(folder, name));
  return folder;
}

/** Lines of HTML as index.html in a new folder, under the policy that the embedding page states. */
export function strictPage(html: string, picture: Buffer): string {
  const folder = examples();
  cpSync(join(root, 'wasm/npm/dist'), join(folder, 'bagscope'), { recursive: true });
  writeFileSync(join(folder, 'explained.png'), picture);
  const strict = `default-src 'none'; img-src 'self' data:; ${policy}`;
  writeFileSync(
    join(folder, 'index.html'),
    '<!doctype html><html lang="en"><meta http-equiv="Content-Security-Policy" ' +
      `content="${strict}"><title>t</title><link rel="icon" ` +
      `href="data:,"><body>${html}</body></html>`,
  );
  return folder;
}

/** The page in one file that the embedding page's command writes: its folder and its address. */
export function oneFilePage(): { folder: string; url: string } {
  const folder = examples();
  const [npx, program, ...args] = onePage.split(' ');
  if (npx !== 'npx' || program !== 'bagscope-page') throw new Error(`not our command: ${onePage}`);
  execFileSync(process.execPath, [join(root, 'wasm/npm/bin/bagscope-page.mjs'), ...args], {
    cwd: folder,
  });
  return { folder, url: pathToFileURL(join(folder, args[args.indexOf('--out') + 1]!)).href };
}

/** The README's lines for a page. */
export function readmeLines(readme: string): string {
  return /## In your own pages\n+```html\n(.*?)```/s.exec(readme)![1]!;
}
