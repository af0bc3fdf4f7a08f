// The files of a page in one file, which onefile.ts of the build puts into it: data blocks with
// their names, compressed by gzip and encoded in base 64.
import type { LoadOptions } from 'bagscope';
import codec from 'bagscope/codec.wasm?url';
import wasm from 'bagscope/bagscope.wasm?url';
import { read as words } from '../strings';

export const pages = [
  { key: 'learn', path: '' },
  { key: 'look', path: 'look/' },
] as const;

/** A page in one file has one language. */
export const languages = {};
export const linkIn = (): string => '';

const files: Record<string, string> = { '': 'lesson.html', 'look/': 'look.html' };

/** Returns the address of a page; null if it is not beside this one. */
export function linkTo(path: string): string | null {
  const [page, query] = path.split('?');
  const file = page === 'LICENSES.txt' ? page : files[page!];
  return file ? file + (query ? `?${query}` : '') : null;
}

const pictures = new Map<string, string>();

/** Returns the address of the picture of a bag. */
export function pictureOf(key: string): string {
  if (!pictures.has(key)) {
    const png = new Blob([decoded(block(`learn/${key}.png`))], { type: 'image/png' });
    pictures.set(key, URL.createObjectURL(png));
  }
  return pictures.get(key)!;
}

/** The engine as bytes: a worker of a page on a disk may not read what the page has. */
export async function programs(): Promise<LoadOptions> {
  const decoder = new Blob([await fetchBytes(codec)], { type: 'application/wasm' });
  return { wasm: await fetchBytes(wasm), codecURL: URL.createObjectURL(decoder) };
}

export const gpuProgram: string | null = null;

/** Returns a file of the page. */
export async function fetchBytes(path: string): Promise<Uint8Array<ArrayBuffer>> {
  const packed = new Blob([decoded(block(path.replace(/^(\.{1,2}\/)+/, '')))]);
  const stream = packed.stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function block(name: string): string {
  const found = document.querySelector(`script[data-file=${JSON.stringify(name)}]`);
  if (!found) throw new Error(words.worker.unreachable(name));
  return found.textContent!;
}

const decoded = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
