// What makes the site work without a network: a service worker that knows all its files, a
// manifest, and icons.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { language, withTexts } from './language.ts';
import { png } from './png.ts';
import type { Strings } from './src/strings/index.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const sizes = [192, 512];

const manifest = ({ heads, site }: Strings) => ({
  ...heads.manifest,
  short_name: 'bagscope',
  lang: language,
  dir: site.direction,
  start_url: './',
  scope: './',
  display: 'minimal-ui',
  background_color: '#f7f6f2',
  theme_color: '#f7f6f2',
  icons: sizes.map((n) => ({
    src: `icon-${n}.png`,
    sizes: `${n}x${n}`,
    type: 'image/png',
    purpose: 'any',
  })),
});

/**
 * What a page fetches when its address names an example, or asks for a graphics processor. Kept for
 * everybody these files would double what a visit takes.
 */
const EXAMPLE =
  /^(?:\.\.\/)?assets\/(.*\.onnx|.*\.svs|series-.*\.zip|slide-.*\.png|truth-.*\.geojson|density-.*\.json|bagscope-gpu-.*\.wasm)$/;

/**
 * Writes sw.js, site.webmanifest and icons. A page's address is its folder's. `assets` leads to the
 * folder that holds assets/.
 */
export function offline(assets = ''): Plugin {
  return {
    name: 'offline',
    apply: 'build',
    generateBundle: {
      order: 'post',
      async handler(_, bundle) {
        const strings = await withTexts<Strings>('src/strings/index.ts');
        const emit = (fileName: string, source: string | Uint8Array) =>
          this.emitFile({ type: 'asset', fileName, source });
        const site: Record<string, string | Uint8Array> = {
          'site.webmanifest': JSON.stringify(manifest(strings), null, 2),
          ...Object.fromEntries(sizes.map((n) => [`icon-${n}.png`, icon(n)])),
        };
        for (const [name, source] of Object.entries(site)) emit(name, source);
        for (const file of Object.values(bundle))
          site[file.fileName.replace(/^(?=assets\/)/, assets)] =
            file.type === 'asset' ? file.source : file.code;
        const examples = Object.keys(site).filter((name) => EXAMPLE.test(name));
        for (const name of examples) delete site[name];
        emit('sw.js', serviceWorker(site, examples));
      },
    },
  };
}

function serviceWorker(site: Record<string, string | Uint8Array>, examples: string[]): string {
  const names = Object.keys(site).sort();
  const hash = createHash('sha256');
  for (const name of names) hash.update(name).update(site[name]!);
  const files = Object.fromEntries(
    names.map((name) => [
      name.replace(/(^|\/)index\.html$/, '$1') || './',
      createHash('sha256').update(site[name]!).digest('base64'),
    ]),
  );
  return readFileSync(here('src/site/sw.js'), 'utf8')
    .replace('__VERSION__', hash.digest('hex').slice(0, 16))
    .replace('__FILES__', JSON.stringify(files))
    .replace('__EXAMPLES__', JSON.stringify(examples.sort()));
}

/** The sign of the site: four instances on a ground, two of which stand out. */
function icon(size: number): Buffer {
  const pixels = new Uint8Array(3 * size * size);
  for (let y = 0; y < size; y++)
    for (let x = 0; x < size; x++) {
      const [column, row] = [x, y].map((v) => cell((32 * (v + 0.5)) / size));
      const bright = column === -1 || row === -1 ? 0 : column !== row ? 1 : 0.45;
      [0x2f, 0x4b, 0xb8].forEach((ground, c) => {
        pixels[3 * (y * size + x) + c] = Math.round(ground + bright * (255 - ground));
      });
    }
  return png(size, size, 3, pixels);
}

/** Which of two cells a place from 0 to 32 lies in, or −1. */
function cell(v: number): number {
  if (v >= 6 && v < 14) return 0;
  return v >= 18 && v < 26 ? 1 : -1;
}
