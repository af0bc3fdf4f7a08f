// Zip archives, which .npz files are: members are found by the directory at the end and unpacked
// one by one.
import { ReadFault } from './fault';
import { MOST_BYTES, MOST_TEXT } from './limits';
import { read as words } from '../../strings';

export interface Member {
  name: string;
  /** How it is packed: 0 not at all, 8 by deflate. */
  method: number;
  packed: number;
  size: number;
  /** Where its local header begins. */
  at: number;
}

/** What the directory of an archive names. The sizes are claims. */
export async function directory(name: string, file: Blob): Promise<Member[]> {
  const fault = (reason: string) => new ReadFault('format', words.of(name, reason));
  // The end stands behind a comment of at most 64 KB.
  const tailAt = Math.max(0, file.size - 65_557);
  const tail = await view(file, tailAt, file.size);
  let end = tail.byteLength - 22;
  while (end >= 0 && tail.getUint32(end, true) !== 0x06054b50) end--;
  if (end < 0) throw fault(words.zip.none);
  let [entries, size, at] = [
    tail.getUint16(end + 10, true),
    tail.getUint32(end + 12, true),
    tail.getUint32(end + 16, true),
  ];
  if (at === 0xffffffff || entries === 0xffff || size === 0xffffffff) {
    // Archives beyond 4 GB say so in a record of their own, just before.
    const locator = end - 20;
    if (locator < 0 || tail.getUint32(locator, true) !== 0x07064b50)
      throw fault(words.zip.noDirectory);
    const record = Number(tail.getBigUint64(locator + 8, true));
    if (!(record + 56 <= file.size)) throw fault(words.zip.noDirectory);
    const wide = await view(file, record, record + 56);
    [entries, size, at] = [
      Number(wide.getBigUint64(32, true)),
      Number(wide.getBigUint64(40, true)),
      Number(wide.getBigUint64(48, true)),
    ];
  }
  if (!(at + size <= file.size) || size > MOST_TEXT) throw fault(words.zip.outside);
  const bytes = await view(file, at, at + size);
  const members: Member[] = [];
  for (let p = 0; members.length < entries;) {
    if (p + 46 > bytes.byteLength || bytes.getUint32(p, true) !== 0x02014b50)
      throw fault(words.zip.short);
    const [names, extras, comment] = [28, 30, 32].map((o) => bytes.getUint16(p + o, true)) as [
      number,
      number,
      number,
    ];
    if (p + 46 + names + extras > bytes.byteLength) throw fault(words.zip.short);
    const member = {
      name: new TextDecoder().decode(
        new Uint8Array(bytes.buffer, bytes.byteOffset + p + 46, names),
      ),
      method: bytes.getUint16(p + 10, true),
      packed: bytes.getUint32(p + 20, true),
      size: bytes.getUint32(p + 24, true),
      at: bytes.getUint32(p + 42, true),
    };
    widen(member, new DataView(bytes.buffer, bytes.byteOffset + p + 46 + names, extras));
    members.push(member);
    p += 46 + names + extras + comment;
  }
  return members;
}

// Sizes beyond 4 GB, and those that NumPy always writes so, stand in an extra field.
function widen(member: Member, extra: DataView): void {
  for (let p = 0; p + 4 <= extra.byteLength;) {
    const [id, size] = [extra.getUint16(p, true), extra.getUint16(p + 2, true)];
    let at = p + 4;
    if (id === 1)
      for (const key of ['size', 'packed', 'at'] as const)
        if (member[key] === 0xffffffff && at + 8 <= Math.min(p + 4 + size, extra.byteLength)) {
          member[key] = Number(extra.getBigUint64(at, true));
          at += 8;
        }
    p += 4 + size;
  }
}

/** Deflate makes no more than 1032 bytes of one. */
const MOST_DEFLATE = 1040;

/** Unpacks a member, whose size is believed only as far as its packed bytes can bear it out. */
export async function unpack(
  name: string,
  file: Blob,
  m: Member,
): Promise<Uint8Array<ArrayBuffer>> {
  const fault = (reason: string) => new ReadFault('format', words.of(`${name}/${m.name}`, reason));
  if (m.size > MOST_BYTES)
    throw new ReadFault('limit', words.of(`${name}/${m.name}`, words.zip.tooLarge));
  if (m.packed > file.size || m.size > m.packed * MOST_DEFLATE)
    throw fault(words.zip.impossible(m.size));
  if (!(m.at + 30 <= file.size)) throw fault(words.zip.memberOutside);
  const head = await view(file, m.at, m.at + 30);
  if (head.getUint32(0, true) !== 0x04034b50) throw fault(words.zip.elsewhere);
  const start = m.at + 30 + head.getUint16(26, true) + head.getUint16(28, true);
  const packed = file.slice(start, start + m.packed);
  if (packed.size !== m.packed) throw fault(words.zip.memberShort);
  if (m.method !== 0 && m.method !== 8)
    throw new ReadFault('unsupported', words.of(`${name}/${m.name}`, words.zip.method(m.method)));
  if (m.method === 0) {
    if (m.packed !== m.size) throw fault(words.zip.sizes);
    return new Uint8Array(await packed.arrayBuffer());
  }
  const out = new Uint8Array(m.size);
  let at = 0;
  try {
    const stream = packed.stream().pipeThrough(new DecompressionStream('deflate-raw'));
    for (const reader = stream.getReader(); ;) {
      const { done, value } = await reader.read();
      if (done) break;
      if (at + value.length > m.size) {
        await reader.cancel();
        at = Infinity;
        break;
      }
      out.set(value, at);
      at += value.length;
    }
  } catch {
    throw fault(words.zip.damaged);
  }
  if (at !== m.size) throw fault(words.zip.length(m.size));
  return out;
}

async function view(file: Blob, from: number, to: number): Promise<DataView> {
  return new DataView(await file.slice(from, to).arrayBuffer());
}

/** An archive of members that are packed not at all. Together they hold less than 4 GB. */
export function archive(
  members: readonly { name: string; parts: readonly Uint8Array<ArrayBuffer>[] }[],
): Blob {
  const [bodies, entries]: [Uint8Array<ArrayBuffer>[], Uint8Array<ArrayBuffer>[]] = [[], []];
  let at = 0;
  for (const { name, parts } of members) {
    const label = new TextEncoder().encode(name);
    const size = parts.reduce((n, p) => n + p.length, 0);
    // Version, flags, method, time, date, checksum, both sizes, lengths of the name and of extras.
    const about = new Uint8Array(26);
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
