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

/** Returns the address of a page. `root` leads to the first page. */
export const linkTo = (path: string, root = ''): string | null => root + path || './';

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
