// What the first bytes of a picture say: its sides, and its orientation, which is taken out.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { withoutExif } from '../../src/look/read/exif';
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

test('the orientation of a JPEG file is taken out, and nothing else', async () => {
  const bytes = (...parts: string[]) => Uint8Array.from(Buffer.from(parts.join(''), 'hex'));
  const exif = 'ffe1000a457869660000' + '0112';
  const [start, xmp, scan] = ['ffd8ffe00004abcd', 'ffe1000668747470', 'ffda0102'];
  const taken = async (file: Uint8Array<ArrayBuffer>) =>
    new Uint8Array(await withoutExif(new Blob([file]), file).arrayBuffer());
  expect(await taken(bytes(start, xmp, exif, scan))).toEqual(bytes(start, xmp, scan));
  for (const file of [bytes(start, scan, exif), bytes('89504e47', exif), bytes('ffd8'), bytes()])
    expect(await taken(file)).toEqual(file);
});
