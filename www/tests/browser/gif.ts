// GIF files that tests write: only browsers decode them.

/** A grey GIF. The codes of its pixels are cleared before they get longer. */
export function gif(
  width: number,
  height: number,
  shade: (x: number, y: number) => number,
): Buffer {
  const head = Buffer.alloc(13);
  head.write('GIF89a', 'latin1');
  head.writeUInt16LE(width, 6);
  head.writeUInt16LE(height, 8);
  head[10] = 0xf7; // a palette of 256 colours
  const palette = Buffer.from(Array.from({ length: 768 }, (_, i) => Math.floor(i / 3)));
  const frame = Buffer.from([0x2c, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8]); // bytes have 8 bits
  head.copy(frame, 5, 6, 10);
  const [CLEAR, END] = [256, 257];
  const codes: number[] = [];
  for (let i = 0; i < width * height; i++) {
    if (i % 250 === 0) codes.push(CLEAR);
    codes.push(shade(i % width, Math.floor(i / width)));
  }
  codes.push(END);
  const bytes = Buffer.alloc(Math.ceil((9 * codes.length) / 8) + 1);
  codes.forEach((code, i) => {
    const at = Math.floor((9 * i) / 8);
    bytes.writeUInt16LE(bytes.readUInt16LE(at) | ((code << ((9 * i) % 8)) & 0xffff), at);
  });
  const blocks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += 255) {
    const block = bytes.subarray(at, at + 255);
    blocks.push(Buffer.from([block.length]), block);
  }
  return Buffer.concat([head, palette, frame, ...blocks, Buffer.from([0, 0x3b])]);
}
