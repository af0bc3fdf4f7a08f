// The language of the site, which the build chooses.
import { basename, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const here = fileURLToPath(new URL('.', import.meta.url));

/** The file of all texts, relative to this folder. */
const file = process.env.SITE_LANGUAGE ?? 'src/strings/en.ts';

/** The tag of the language (BCP 47): the name of its file. */
export const language = basename(file, '.ts');

/** The folder of the language's pages below those of the site; '' for the site itself. */
export const folder = process.env.SITE_FOLDER ?? '';

/** What a build needs to find the texts, and to write numbers as the language does. */
export const texts = {
  alias: [{ find: /^#language$/, replacement: resolve(here, file) }],
  define: { LANGUAGE: JSON.stringify(language), FOLDER: JSON.stringify(folder) },
};

/** Imports a module that uses the texts, for what the build itself writes. */
export async function withTexts<T>(path: string): Promise<T> {
  const { alias, define } = texts;
  const { module } = await runnerImport<T>(resolve(here, path), {
    configFile: false,
    resolve: { alias },
    define,
  });
  return module;
}
