// The weight of files of the built site.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipped } from '../../../tools/dev/sizes/sizes.mjs';
import { dist } from './page';

const file = (path: string) =>
  join(dist, path === '' || path.endsWith('/') ? path + 'index.html' : path);

/** Bytes of files as a host sends them that compresses what is not compressed already. */
export const weight = (paths: readonly string[]) =>
  paths.reduce((sum, path) => {
    const bytes = readFileSync(file(path));
    return sum + (path.endsWith('.png') ? bytes.length : Math.min(bytes.length, gzipped(bytes)));
  }, 0);
