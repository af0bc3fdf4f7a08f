// The sides of a picture stand in its first bytes.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { sizeOf } from '../../src/look/read/size';

test.each(['picture.png', 'picture.webp', 'picture.jpg'])(
  'the sides of %s stand in its first bytes',
  (name) => {
    const file = new Uint8Array(
      readFileSync(fileURLToPath(new URL(`../data/files/${name}`, import.meta.url))),
    );
    expect(sizeOf(file)).toEqual({ width: 64, height: 48 });
    for (let n = 0; n < Math.min(file.length, 200); n++) sizeOf(file.slice(0, n)); // does not throw
  },
);
