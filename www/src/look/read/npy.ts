// NumPy's .npy files: a header in Python's words, then the numbers.
import { checked, length, width, type RawArray } from './array';
import { ReadFault } from './fault';
import { read as words } from '../../strings';

const MAGIC = '\x93NUMPY';

/** Reads a file whose numbers lie in C order. */
export function readNpy(name: string, file: Uint8Array<ArrayBuffer>): RawArray {
  const fault = (reason: string) => new ReadFault('format', words.of(name, reason));
  if (file.length < 12 || text(file.subarray(0, 6)) !== MAGIC) throw fault(words.npy.none);
  const view = new DataView(file.buffer, file.byteOffset);
  const long = file[6]! > 1;
  const start = long ? 12 : 10;
  const size = long ? view.getUint32(8, true) : view.getUint16(8, true);
  if (start + size > file.length) throw fault(words.npy.short);
  const header = text(file.subarray(start, start + size));
  const descr = /'descr':\s*'([<>|=]?[a-zA-Z]\d+)'/.exec(header)?.[1];
  const sides = /'shape':\s*\(([\d, ]*)\)/.exec(header)?.[1];
  if (!descr || sides === undefined || /'fortran_order':\s*True/.test(header))
    throw new ReadFault(
      'unsupported',
      words.of(name, words.npy.header(header.slice(0, 90).trim())),
    );
  const each = width(descr);
  const shape = checked(
    name,
    sides
      .split(',')
      .filter((s) => s.trim() !== '')
      .map(Number),
    each,
  );
  const bytes = file.subarray(start + size);
  if (bytes.length !== length(shape) * each)
    throw fault(words.npy.length(bytes.length, length(shape) * each));
  return { shape, descr: descr.length > 2 && /^[a-z]/i.test(descr) ? '<' + descr : descr, bytes };
}

/** The bytes before the numbers, for a file of them. */
export function npyHeader({
  shape,
  descr,
}: Pick<RawArray, 'shape' | 'descr'>): Uint8Array<ArrayBuffer> {
  const sides = shape.length === 1 ? `${shape[0]},` : shape.join(', ');
  const about = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${sides}), }`;
  const padded = about.padEnd(Math.ceil((about.length + 11) / 64) * 64 - 11) + '\n';
  const out = new Uint8Array(10 + padded.length);
  out.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, padded.length & 255, padded.length >> 8]);
  for (let i = 0; i < padded.length; i++) out[10 + i] = padded.charCodeAt(i);
  return out;
}

const text = (bytes: Uint8Array) => String.fromCharCode(...bytes.subarray(0, 65_536));
