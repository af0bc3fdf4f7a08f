import { crc32, deflateSync } from 'node:zlib';

/** Writes a PNG file of 8-bit grey (channels 1) or red, green, blue (3). */
export function png(width: number, height: number, channels: 1 | 3, pixels: Uint8Array): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, channels === 1 ? 0 : 2, 0, 0, 0], 8);
  const line = width * channels;
  // Each line begins with the number of its filter, of which 0 is none.
  const lines = Buffer.alloc(height * (line + 1));
  for (let y = 0; y < height; y++)
    lines.set(pixels.subarray(y * line, (y + 1) * line), y * (line + 1) + 1);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]);
  const data = deflateSync(lines, { level: 9 });
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length, 0);
  out.set(body, 4);
  out.writeUInt32BE(crc32(body), body.length + 4);
  return out;
}
