// What the first bytes of a picture say: its sides, and its orientation, which is taken out.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { withoutExif } from '../../src/look/read/exif';
import { checkSize } from '../../src/look/read/picture';
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

test.each<[string, string, number, number]>([
  ['a GIF', '474946383961' + '0301' + '0200', 259, 2],
  ['a BMP from the top', '424d' + '00'.repeat(16) + '03010000' + 'feffffff', 259, 2],
  [
    'a PNG that ends behind its sides',
    '89504e470d0a1a0a' + '00'.repeat(8) + '0000010300000002',
    259,
    2,
  ],
  [
    'a wide WebP',
    '5249464600000000574542505650385800000000' + '00000000' + '020001' + '010000',
    65_539,
    2,
  ],
  [
    'a JPEG of the last kind of frame',
    'ffd8' + 'ffc40004abcd' + 'ffff' + 'cf0011080002010301',
    259,
    2,
  ],
])('the sides of %s by hand', (_, hex, width, height) => {
  const file = Uint8Array.from(Buffer.from(hex, 'hex'));
  expect(sizeOf(file)).toEqual({ width, height });
  expect(sizeOf(file.subarray(0, 9))).toBeNull();
});

test('a JPEG without a frame has no sides', () => {
  const file = 'ffd8' + 'ffc40004abcd' + 'ffd00002' + 'ffc80002' + 'ffda0002' + '00'.repeat(12);
  expect(sizeOf(Uint8Array.from(Buffer.from(file, 'hex')))).toBeNull();
});

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

test('of a picture that is too large a smaller level is opened', () => {
  const side = 2 ** 20;
  const check = (level: number) => () =>
    checkSize('slide.tif', { width: side >> level, height: side >> level });
  expect(check(0)).toThrow(/Export a smaller level of it, or open features with coordinates/);
  expect(check(7)).not.toThrow();
});
