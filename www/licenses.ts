// The licences of everything that the site bundles, as their conditions ask: of the packages whose
// modules the bundler put into a file, workers included, of the bundler's own modules, of data, and
// of the engine.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The file of the site that holds the licences. */
export const LICENSES = 'LICENSES.txt';

/** The list of bundled packages and data, from which a release writes the site's bill of materials. */
const PACKAGES = here('../build/site-packages.json');

/** Packages that name their licence without its text, and the file that has the text. */
const WITHOUT_TEXT: Record<string, string> = { 'Apache-2.0': here('../LICENSE') };

/** What precedes the licences of packages that are part of a bundler, and not of what it bundles. */
const NOT_BUNDLED = /^# Licenses of bundled dependencies$/m;

/** Data of others that the site bundles. */
const DATA = [
  {
    name: 'CMU-1-Small-Region.svs',
    license: 'CC0-1.0',
    terms:
      'A region of a slide of Carnegie Mellon University, of the test data of OpenSlide. It is in ' +
      'the public domain: https://creativecommons.org/publicdomain/zero/1.0/',
  },
];

/** The folder of the package that a module belongs to, or nothing for a module of the project. */
export function packageOf(id: string): string | undefined {
  // Modules that the bundler writes itself have the names of its packages, behind a zero byte.
  const own = /^\0(vite|rolldown)\//.exec(id)?.[1];
  if (own) return here(`node_modules/${own}`);
  const path = id.replace(/^\0/, '').replace(/\?.*$/, '').replaceAll('\\', '/');
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];
}

/** A package that the bundler put into the site. */
interface About {
  name: string;
  version: string;
  license?: string;
}

/** What a package says of itself. */
function aboutOf(folder: string): About {
  const about = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as About;
  return { name: about.name, version: about.version, license: about.license };
}

/** The name, version and licence of a package. It throws if the package has no licence text. */
export function licenseOf(folder: string): string {
  const about = aboutOf(folder);
  const found = readdirSync(folder).filter((name) => /^(licen[cs]e|copying|notice)/i.test(name));
  const files = found.map((name) => join(folder, name));
  if (!files.length && about.license && about.license in WITHOUT_TEXT)
    files.push(WITHOUT_TEXT[about.license]!);
  if (!files.length)
    throw new Error(
      `${about.name} ${about.version} has no file LICENSE; add its text to licenses.ts`,
    );
  const texts = files.map((file) => readFileSync(file, 'utf8').split(NOT_BUNDLED)[0]!.trim());
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
      // The program for graphics processors contains all that the other one does.
      const engine = here('../wasm/npm/dist/LICENSES-gpu.txt');
      if (!existsSync(engine))
        this.error('the licences of the engine are missing; run make wasm-gpu');
      const sorted = [...folders].sort();
      const texts = sorted.map(licenseOf);
      for (const { name, license, terms } of DATA) texts.push(`${name} (${license})\n\n${terms}`);
      texts.push(readFileSync(engine, 'utf8').trim());
      const source = `${texts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
      this.emitFile({ type: 'asset', fileName: LICENSES, source });
      mkdirSync(here('../build'), { recursive: true });
      const data = DATA.map(({ name, license }) => ({ name, license }));
      writeFileSync(PACKAGES, `${JSON.stringify([...sorted.map(aboutOf), ...data], null, 2)}\n`);
    },
  };
  const worker = (): Plugin => ({
    name: 'licenses-of-worker',
    apply: 'build',
    generateBundle: (_, bundle) => collect(bundle),
  });
  return { site, worker };
}
