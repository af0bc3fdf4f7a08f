// The licences of everything that the site bundles, as their conditions ask: of the packages whose
// modules the bundler put into a file, workers included, and of the engine.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The file of the site that holds the licences. */
export const LICENSES = 'LICENSES.txt';

/** Packages that name their licence without its text, and the file that has the text. */
const WITHOUT_TEXT: Record<string, string> = { 'Apache-2.0': here('../LICENSE') };

/** The folder of the package that a module belongs to, or nothing for a module of the project. */
export function packageOf(id: string): string | undefined {
  const path = id.replace(/^\0/, '').replace(/\?.*$/, '').replaceAll('\\', '/');
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];
}

/** The name, version and licence of a package. It throws if the package has no licence text. */
export function licenseOf(folder: string): string {
  const about = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    name: string;
    version: string;
    license?: string;
  };
  const found = readdirSync(folder).filter((name) => /^(licen[cs]e|copying|notice)/i.test(name));
  const files = found.map((name) => join(folder, name));
  if (!files.length && about.license && about.license in WITHOUT_TEXT)
    files.push(WITHOUT_TEXT[about.license]!);
  if (!files.length)
    throw new Error(
      `${about.name} ${about.version} has no file LICENSE; add its text to licenses.ts`,
    );
  const texts = files.map((file) => readFileSync(file, 'utf8').trim());
  return [`${about.name} ${about.version} (${about.license ?? 'see below'})`, ...texts].join(
    '\n\n',
  );
}

/**
 * Writes LICENSES.txt. The plugin `site` belongs to the pages and `worker` to the workers, which the
 * bundler builds before the pages and with plugins of their own.
 */
export function licenses(): { site: Plugin; worker: () => Plugin } {
  const folders = new Set<string>();
  const collect = (bundle: Record<string, { type: string; moduleIds?: string[] }>) => {
    for (const file of Object.values(bundle))
      for (const id of file.moduleIds ?? []) {
        const folder = packageOf(id);
        if (folder) folders.add(folder);
      }
  };
  const site: Plugin = {
    name: 'licenses',
    apply: 'build',
    generateBundle(_, bundle) {
      collect(bundle);
      const engine = here('../wasm/npm/dist/LICENSES.txt');
      if (!existsSync(engine)) this.error('the licences of the engine are missing; run make wasm');
      const texts = [...folders].sort().map(licenseOf);
      texts.push(readFileSync(engine, 'utf8').trim());
      const source = `${texts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
      this.emitFile({ type: 'asset', fileName: LICENSES, source });
    },
  };
  const worker = (): Plugin => ({
    name: 'licenses-of-worker',
    apply: 'build',
    generateBundle: (_, bundle) => collect(bundle),
  });
  return { site, worker };
}
