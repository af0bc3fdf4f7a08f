// An array as it comes out of a file: its bytes, and how they are to be read.
import { ReadFault } from './fault';
import { MOST_BYTES } from './limits';
import { read as words } from '../../strings';

/**
 * Row-major numbers in the order of bytes that `descr` says, which is NumPy's: "<f4", "|u1", "<i8".
 */
export interface RawArray {
  shape: number[];
  descr: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/** How many numbers a shape holds. */
export const length = (shape: readonly number[]) => shape.reduce((n, side) => n * side, 1);

/** How many bytes one number takes. */
export function width(descr: string): number {
  return Number(/\d+$/.exec(descr)?.[0] ?? 0);
}

/** Checks a shape that a file claims, before anything is made of it. */
export function checked(name: string, shape: readonly unknown[], bytesEach: number): number[] {
  if (!shape.every((n): n is number => Number.isSafeInteger(n) && (n as number) >= 0))
    throw new ReadFault('format', words.array.shape(name, shape));
  const sides = shape as number[];
  if (!(length(sides) * bytesEach <= MOST_BYTES))
    throw new ReadFault('limit', words.array.tooLarge(name, sides));
  return sides;
}

/**
 * All numbers of an array, in double precision. Meant for coordinates and labels, not for features.
 */
export function numbers({ shape, descr, bytes }: RawArray): Float64Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const little = descr[0] !== '>';
  const [size, kind] = [width(descr), descr[1]];
  const get = getter(view, kind ?? '', size, little);
  if (!get) throw new ReadFault('unsupported', words.array.type(descr));
  return Float64Array.from({ length: length(shape) }, (_, i) => get(i * size));
}

function getter(view: DataView, kind: string, size: number, little: boolean) {
  switch (kind + size) {
    case 'f8':
      return (at: number) => view.getFloat64(at, little);
    case 'f4':
      return (at: number) => view.getFloat32(at, little);
    case 'i8':
      return (at: number) => Number(view.getBigInt64(at, little));
    case 'u8':
      return (at: number) => Number(view.getBigUint64(at, little));
    case 'i4':
      return (at: number) => view.getInt32(at, little);
    case 'u4':
      return (at: number) => view.getUint32(at, little);
    case 'i2':
      return (at: number) => view.getInt16(at, little);
    case 'u2':
      return (at: number) => view.getUint16(at, little);
    case 'i1':
      return (at: number) => view.getInt8(at);
    case 'u1':
    case 'b1':
      return (at: number) => view.getUint8(at);
    default:
      return null;
  }
}

/** An array of the numbers given. */
export function fromNumbers(
  values: Float32Array<ArrayBuffer> | Int32Array<ArrayBuffer> | Uint8Array<ArrayBuffer>,
  shape: number[],
): RawArray {
  const descr =
    values instanceof Float32Array ? '<f4' : values instanceof Int32Array ? '<i4' : '|u1';
  return {
    shape,
    descr,
    bytes: new Uint8Array(values.buffer, values.byteOffset, values.byteLength),
  };
}
