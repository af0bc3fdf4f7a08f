// A page in one file, for disks: its script, its styles and all files that it reads stand in it, and
// its policy forbids any request.
import { gzipSync } from 'node:zlib';
import type { Plugin, Rolldown } from 'vite';
import { allowed } from './firstscreen.ts';

const MODULE = /\s*<script type="module"[^>]*><\/script>/;
/** Links that lead to other files of the site. */
const LINKS = /\s*<link rel="(manifest|apple-touch-icon|modulepreload)"[^>]*>/g;

/** Writes the page as `name`, with those assets that `reads` names or that its script does. */
export function oneFile(name: string, reads: RegExp): Plugin {
  return {
    name: 'one-file',
    enforce: 'post',
    generateBundle: {
      order: 'post',
      handler(_, bundle) {
        const files = Object.values(bundle);
        const [script, ...more] = files.filter((file) => file.type === 'chunk');
        if (!script || more.length > 0) throw new Error(`${name} has ${1 + more.length} scripts`);
        const page = files.find((file) => file.fileName.endsWith('index.html') && isPage(file));
        const code = closed(script.code);
        const kept = files.filter(
          (file) =>
            file.type === 'asset' && (reads.test(file.fileName) || code.includes(file.fileName)),
        );
        const html = withPolicy(text(page!), code)
          .replace(MODULE, '')
          .replace(LINKS, '')
          .replace('</body>', () =>
            [...kept.map(block), `<script type="module">${code}</script>`, '</body>'].join('\n'),
          );
        for (const file of files) delete bundle[file.fileName];
        this.emitFile({ type: 'asset', fileName: name, source: html });
      },
    },
  };
}

type Output = Rolldown.OutputAsset | Rolldown.OutputChunk;

const text = (file: Output) => String(file.type === 'asset' ? file.source : file.code);
const isPage = (file: Output) => MODULE.test(text(file));

/** A script whose text cannot end the element that it stands in. */
const closed = (code: string) => code.trim().replaceAll('</script', '<\\/script');

/** Returns a file as a data block, which browsers do not execute. */
function block(file: Output): string {
  const { fileName } = file;
  const bytes = Buffer.from((file as Rolldown.OutputAsset).source);
  const packed = fileName.endsWith('.png') ? bytes : gzipSync(bytes, { level: 9 });
  return (
    `<script type="application/octet-stream" data-file="${fileName}">` +
    `${packed.toString('base64')}</script>`
  );
}

/** The policy of the site, which allows this script and its workers in place of files of a host. */
function withPolicy(html: string, code: string): string {
  const changes = [
    ["script-src 'self'", `script-src ${allowed(code)}`],
    ["worker-src 'self'", 'worker-src blob:'],
    ["connect-src 'self'", 'connect-src blob:'],
    ["img-src 'self'", 'img-src blob:'],
  ] as const;
  for (const [from, to] of changes) {
    if (!html.includes(from)) throw new Error(`the page's policy has no ${from}`);
    html = html.replace(from, to);
  }
  return html.replace(" manifest-src 'self';", '');
}
