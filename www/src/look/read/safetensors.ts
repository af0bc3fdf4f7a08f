// The .safetensors format: eight bytes of length, a JSON header, then the numbers of all tensors
// end to end.
import { checked, length, type RawArray } from './array';
import type { Arrays } from './embedding';
import { ReadFault } from './fault';
import { read as words } from '../../strings';

const MOST_HEADER = 2 ** 24;
const DESCR: Record<string, string> = {
  F64: '<f8',
  F32: '<f4',
  F16: '<f2',
  I64: '<i8',
  I32: '<i4',
  I16: '<i2',
  I8: '|i1',
  U8: '|u1',
  U64: '<u8',
  U32: '<u4',
  U16: '<u2',
  BOOL: '|b1',
};
const SIZES: Record<string, number> = {
  F64: 8,
  F32: 4,
  F16: 2,
  BF16: 2,
  I64: 8,
  I32: 4,
  I16: 2,
  I8: 1,
  U8: 1,
  U64: 8,
  U32: 4,
  U16: 2,
  BOOL: 1,
};

interface Entry {
  dtype: string;
  shape: number[];
  from: number;
  to: number;
}

/** Reads the header; a tensor's numbers when they are asked for. */
export async function openSafetensors(name: string, file: Blob): Promise<Arrays> {
  const fault = (reason: string) => new ReadFault('format', words.of(name, reason));
  if (file.size < 10) throw fault(words.safetensors.short);
  const size = Number(new DataView(await file.slice(0, 8).arrayBuffer()).getBigUint64(0, true));
  if (size > MOST_HEADER || 8 + size > file.size) throw fault(words.safetensors.claims(size));
  const entries = new Map<string, Entry>();
  let attributes: Record<string, unknown> = {};
  let header: unknown;
  try {
    header = JSON.parse(await file.slice(8, 8 + size).text());
  } catch {
    throw fault(words.safetensors.noJSON);
  }
  if (!header || typeof header !== 'object' || Array.isArray(header))
    throw fault(words.safetensors.noObject);
  for (const [key, value] of Object.entries(header as Record<string, Record<string, unknown>>)) {
    if (key === '__metadata__') attributes = { ...value };
    else entries.set(key, entry(`${name}/${key}`, value, file.size - 8 - size));
  }
  return {
    file: name,
    attributes,
    shapes: new Map([...entries].map(([key, e]) => [key, e.shape])),
    read: async (key) => {
      const e = entries.get(key)!;
      const bytes = new Uint8Array(
        await file.slice(8 + size + e.from, 8 + size + e.to).arrayBuffer(),
      );
      return toRaw(e, bytes);
    },
  };
}

function entry(name: string, value: Record<string, unknown> | null, room: number): Entry {
  const { dtype, shape, data_offsets: offsets } = value ?? {};
  const each = SIZES[String(dtype)];
  if (!each) throw new ReadFault('unsupported', words.of(name, words.array.type(String(dtype))));
  if (!Array.isArray(shape) || !Array.isArray(offsets))
    throw new ReadFault('format', words.of(name, words.safetensors.missing));
  const sides = checked(name, shape, each);
  const [from, to] = offsets as [number, number];
  if (!(
    Number.isSafeInteger(from) &&
    from >= 0 &&
    to <= room &&
    to - from === length(sides) * each
  ))
    throw new ReadFault('format', words.of(name, words.safetensors.outside));
  return { dtype: String(dtype), shape: sides, from, to };
}

// The upper half of a float32 is what bfloat16 is.
function toRaw({ dtype, shape }: Entry, bytes: Uint8Array<ArrayBuffer>): RawArray {
  if (dtype !== 'BF16') return { shape, descr: DESCR[dtype]!, bytes };
  const wide = new Uint8Array(2 * bytes.length);
  for (let i = 0; i < bytes.length; i += 2) {
    wide[2 * i + 2] = bytes[i]!;
    wide[2 * i + 3] = bytes[i + 1]!;
  }
  return { shape, descr: '<f4', bytes: wide };
}
