// Writes a set of bags as the engine reads it: an .npz file, a zip archive of arrays that are not
// packed.

/** A member of an archive: row-major numbers of a NumPy type such as "<i4" or "|u1". */
export interface Member {
  name: string;
  shape: readonly number[];
  descr: string;
  /** The numbers, in parts that follow each other. */
  parts: readonly Uint8Array<ArrayBuffer>[];
}

/** The patches of a bag, unsigned bytes, as a member of an archive. */
export const instances = (
  shape: readonly number[],
  parts: readonly Uint8Array<ArrayBuffer>[],
): Member => ({ name: 'instances', shape, descr: '|u1', parts });

/** The corners x0 y0 x1 y1 of patches, as a member of an archive. */
export const boxes = (corners: Int32Array<ArrayBuffer>): Member => ({
  name: 'boxes',
  shape: [corners.length / 4, 4],
  descr: '<i4',
  parts: [new Uint8Array(corners.buffer, corners.byteOffset, corners.byteLength)],
});

/** The bytes before the numbers of an .npy file. */
export function npyHeader({ shape, descr }: Pick<Member, 'shape' | 'descr'>) {
  const sides = shape.length === 1 ? `${shape[0]},` : shape.join(', ');
  const about = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${sides}), }`;
  const padded = about.padEnd(Math.ceil((about.length + 11) / 64) * 64 - 11) + '\n';
  const out = new Uint8Array(10 + padded.length);
  out.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, padded.length & 255, padded.length >> 8]);
  for (let i = 0; i < padded.length; i++) out[10 + i] = padded.charCodeAt(i);
  return out;
}

/** An archive of members. Together they hold less than 4 GB. */
export function archive(members: readonly Member[]): Blob {
  const [bodies, entries]: [Uint8Array<ArrayBuffer>[], Uint8Array<ArrayBuffer>[]] = [[], []];
  let at = 0;
  for (const member of members) {
    const parts = [npyHeader(member), ...member.parts];
    const label = new TextEncoder().encode(`${member.name}.npy`);
    const size = parts.reduce((n, p) => n + p.length, 0);
    const about = new Uint8Array(26); // version, flags, method, time, date, sum, both sizes, length of the name, of extras
    const words = new DataView(about.buffer);
    words.setUint16(0, 20, true);
    words.setUint32(10, crc32(parts), true);
    words.setUint32(14, size, true);
    words.setUint32(18, size, true);
    words.setUint16(22, label.length, true);
    const rest = new Uint8Array(14); // comment, disk, attributes, place
    new DataView(rest.buffer).setUint32(10, at, true);
    bodies.push(Uint8Array.of(0x50, 0x4b, 3, 4), about, label, ...parts);
    entries.push(Uint8Array.of(0x50, 0x4b, 1, 2, 20, 0), about, rest, label);
    at += 30 + label.length + size;
  }
  const end = new Uint8Array(22);
  const words = new DataView(end.buffer);
  end.set([0x50, 0x4b, 5, 6]);
  words.setUint16(8, members.length, true);
  words.setUint16(10, members.length, true);
  words.setUint32(
    12,
    entries.reduce((n, p) => n + p.length, 0),
    true,
  );
  words.setUint32(16, at, true);
  return new Blob([...bodies, ...entries, end]);
}

const table = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
  return n;
});

/** The checksum of zip archives. */
export function crc32(parts: readonly Uint8Array[]): number {
  let c = ~0;
  for (const part of parts)
    for (let i = 0; i < part.length; i++) c = table[(c ^ part[i]!) & 255]! ^ (c >>> 8);
  return ~c >>> 0;
}
