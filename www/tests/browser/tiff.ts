// TIFF files that tests write.

/** A grey TIFF without compression, in one strip. */
export function tiff(width: number, height: number): Buffer {
  const entries = [
    [256, 4, width],
    [257, 4, height],
    [258, 3, 8],
    [259, 3, 1],
    [262, 3, 1],
    [273, 4, 256],
    [277, 3, 1],
    [278, 4, height],
    [279, 4, width * height],
  ] as const;
  const head = Buffer.alloc(256);
  head.write('II*\0\x08', 0, 'latin1');
  head.writeUInt16LE(entries.length, 8);
  entries.forEach(([tag, type, value], i) => {
    const at = 10 + 12 * i;
    head.writeUInt16LE(tag, at);
    head.writeUInt16LE(type, at + 2);
    head.writeUInt32LE(1, at + 4);
    if (type === 3) head.writeUInt16LE(value, at + 8);
    else head.writeUInt32LE(value, at + 8);
  });
  const pixels = Buffer.alloc(width * height);
  for (let y = 0; y < height; y++) pixels.fill((y >> 5) & 255, y * width, (y + 1) * width);
  return Buffer.concat([head, pixels]);
}
