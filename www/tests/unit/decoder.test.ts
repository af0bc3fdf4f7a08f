// Which pictures the engine decodes, and how the orientation of a PNG file is taken out.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { engineDecodes } from '../../src/look/read/decoder';
import { isTurned, withoutExif } from '../../src/look/read/exif';

const file = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../data/files/${name}`, import.meta.url)));
const hex = (...parts: string[]) => Uint8Array.from(Buffer.from(parts.join(''), 'hex'));

/** Exif data of an orientation, in both orders of bytes. */
const exif = (orientation: number, little: boolean) =>
  little
    ? '49492a0008000000' + '0100' + '12010300' + `010000000${orientation}00000000000000`
    : '4d4d002a00000008' + '0001' + '01120003' + `00000001000${orientation}000000000000`;

/** A PNG file with a chunk before its pixels, or another depth and kind of colours. */
function png(chunk: string, data = '', bits = 8, colours = 2): Uint8Array<ArrayBuffer> {
  const bytes = file('picture.png');
  const head = Buffer.from(bytes.subarray(0, 33));
  head.set([bits, colours], 24);
  const length = (data.length / 2).toString(16).padStart(8, '0');
  const name = Buffer.from(chunk).toString('hex');
  const more = Buffer.from(chunk && length + name + data + '00000000', 'hex');
  return new Uint8Array(Buffer.concat([head, more, bytes.subarray(33)]));
}

const jpeg = (orientation: number, little: boolean) =>
  hex('ffd8ffe10022457869660000', exif(orientation, little), 'ffda0102');
const webp = (kind: string, ...at: [number, number][]) => {
  const bytes = new Uint8Array(40);
  bytes.set(Buffer.from('RIFF....WEBP' + kind));
  for (const [place, value] of at) bytes[place] = value;
  return bytes;
};

test.each([
  ['an opaque PNG', png(''), false],
  ['grey of 8 bits', png('', '', 8, 0), false],
  ['a palette', png('', '', 8, 3), false],
  ['16 bits', png('', '', 16, 2), true],
  ['an opacity', png('', '', 8, 6), true],
  ['grey with an opacity', png('', '', 8, 4), true],
  ['a transparent colour', png('tRNS', '000000000000'), true],
  ['a turned PNG', png('eXIf', exif(6, false)), true],
  ['an upright PNG', png('eXIf', exif(1, true)), false],
  ['a JPEG', new Uint8Array(file('picture.jpg')), false],
  ['a turned JPEG', jpeg(6, true), true],
  ['a mirrored JPEG', jpeg(2, false), true],
  ['an upright JPEG', jpeg(1, false), false],
  ['a WebP', new Uint8Array(file('picture.webp')), false],
  ['a lossless WebP', webp('VP8L'), false],
  ['a lossless WebP with an opacity', webp('VP8L', [24, 0x10]), true],
  ['an extended WebP', webp('VP8X'), false],
  ['an extended WebP with an opacity', webp('VP8X', [20, 0x10]), true],
  ['an extended WebP with Exif data', webp('VP8X', [20, 0x08]), true],
  ['nothing', new Uint8Array(), false],
])('%s is decoded by the engine: %s', (_, head, engine) => {
  expect(engineDecodes(head)).toBe(engine);
  for (let n = 0; n < head.length && n < 200; n++) engineDecodes(head.slice(0, n)); // does not throw
});

test.each([true, false])('the orientation of a PNG file is taken out', async (little) => {
  const turned = png('eXIf', exif(8, little));
  expect(isTurned(turned)).toBe(true);
  const taken = await withoutExif(new Blob([turned]), turned).arrayBuffer();
  expect(new Uint8Array(taken)).toEqual(png(''));
});
