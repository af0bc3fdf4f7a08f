// Where the pages and files of the site lie, seen from its first page. A page in one file has
// onefile.ts in place of this module.
import type { LoadOptions } from 'bagscope';
import codecURL from 'bagscope/codec.wasm?url';
import gpuURL from 'bagscope/bagscope-gpu.wasm?url';
import wasmURL from 'bagscope/bagscope.wasm?url';
import { read as words } from '../strings';

export const pages = [
  { key: 'learn', path: '' },
  { key: 'look', path: 'look/' },
  { key: 'embed', path: 'embed/' },
  { key: 'python', path: 'python/' },
  { key: 'docs', path: 'docs/' },
  { key: 'bench', path: 'bench/' },
] as const;

/** The languages of Learn, each in a folder of its own but the first; see `language.ts`. */
export const languages = {
  en: 'English',
  de: 'Deutsch',
  es: 'Español',
  fr: 'Français',
  zh: '中文',
  ar: 'العربية',
} as const;

/** Pages that are in the first language alone. */
const ENGLISH = /^(look|embed|python|docs|bench)\//;

/** Leads from the first page in this language to that of the site. */
const up = FOLDER ? '../' : '';

/** Returns the address of a page. `root` leads to the first page. */
export const linkTo = (path: string, root = ''): string | null =>
  root + (ENGLISH.test(path) ? up : '') + path || './';

/** Returns the address of Learn in another language. */
export const linkIn = (tag: string): string => up + (tag === 'en' ? '' : `${tag}/`) || './';

export const pictureOf = (key: string): string => `learn/${key}.png`;

const at = (url: string) => new URL(url, document.baseURI);

/** Where the engine's programs are. */
export const programs = async (): Promise<LoadOptions> => ({
  ...{ wasmURL: at(wasmURL), gpuWasmURL: at(gpuURL), codecURL: at(codecURL) },
});

/** The program for graphics processors; null if there is none. */
export const gpuProgram: string | null = gpuURL;

/** Fetches a file, which lies beside the folder of this page if the path is relative. */
export async function fetchBytes(path: string): Promise<Uint8Array<ArrayBuffer>> {
  const response = await fetch(at(path)).catch(() => {
    throw new Error(words.worker.unreachable(path));
  });
  if (!response.ok) throw new Error(words.worker.missing(path, response.status));
  return new Uint8Array(await response.arrayBuffer());
}
