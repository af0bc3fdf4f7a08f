/**
 * Encodes and decodes the values in messages. The Go package wasm/wire documents their format;
 * wire.ts, which is generated from its types, combines these codecs.
 */

export type ByteArray = Uint8Array<ArrayBuffer>;

/**
 * The bytes of a message, or a blob if a part of it is a blob, which is read when the program
 * receives it.
 */
export type Packet = ByteArray | Blob;

/** The value of a setting. A whole number is sent as an int, another number as a float64. */
export type Any = string | number | boolean;

export interface Codec<T> {
  /** The minimum number of bytes of a value. */
  readonly min: number;
  write(w: Writer, value: T): void;
  read(r: Reader): T;
}

/** Reports the byte at which a message is invalid. */
export class WireError extends Error {
  constructor(
    readonly offset: number,
    reason: string,
  ) {
    super(`the message cannot be read at byte ${offset}: ${reason}`);
    this.name = "WireError";
  }
}

/** A field with a value that messages cannot contain. */
export class FieldError extends RangeError {
  constructor(
    readonly field: string,
    reason: string,
  ) {
    super(`${field}: ${reason}`);
  }
}

/** A buffer that grows. */
export class Writer {
  private bytes = new Uint8Array(256);
  private view = new DataView(this.bytes.buffer);
  private length = 0;
  private readonly parts: (ByteArray | Blob)[] = [];

  /** Grows the buffer by n bytes and returns their offset. */
  private grow(n: number): number {
    const at = this.length;
    this.length += n;
    if (this.length > this.bytes.length) {
      const bigger = new Uint8Array(Math.max(this.length, 2 * this.bytes.length));
      bigger.set(this.bytes.subarray(0, at));
      this.bytes = bigger;
      this.view = new DataView(bigger.buffer);
    }
    return at;
  }

  uint8(n: number): void {
    const at = this.grow(1); // first, because it may replace the view
    this.view.setUint8(at, n);
  }

  uint32(n: number): void {
    const at = this.grow(4); // first, because it may replace the view
    this.view.setUint32(at, n, true);
  }

  int64(n: bigint): void {
    const at = this.grow(8); // first, because it may replace the view
    this.view.setBigInt64(at, n, true);
  }

  float64(x: number): void {
    const at = this.grow(8); // first, because it may replace the view
    this.view.setFloat64(at, x, true);
  }

  raw(source: ArrayBufferView): void {
    const bytes = new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
    const at = this.grow(bytes.length);
    this.bytes.set(bytes, at);
  }

  /** Inserts a blob without reading it. */
  blob(part: Blob): void {
    this.parts.push(this.bytes.slice(0, this.length), part);
    this.length = 0;
  }

  /** Returns the written bytes. */
  finish(): Packet {
    const rest = this.bytes.slice(0, this.length);
    return this.parts.length > 0 ? new Blob([...this.parts, rest]) : rest;
  }
}

/** Reads values one after another and throws a WireError for an invalid value. */
export class Reader {
  private readonly view: DataView;
  at = 0;

  constructor(private readonly bytes: Uint8Array) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get left(): number {
    return this.bytes.length - this.at;
  }

  fail(reason: string, back = 0): never {
    throw new WireError(this.at - back, reason);
  }

  /** Skips n bytes and returns their offset. */
  private step(n: number): number {
    if (n > this.left) this.fail(`${n} bytes are needed, but only ${this.left} are left`);
    this.at += n;
    return this.at - n;
  }

  uint8(): number {
    return this.view.getUint8(this.step(1));
  }

  uint32(): number {
    return this.view.getUint32(this.step(4), true);
  }

  int64(): bigint {
    return this.view.getBigInt64(this.step(8), true);
  }

  float64(): number {
    return this.view.getFloat64(this.step(8), true);
  }

  /** Returns a copy of the next n bytes. */
  raw(n: number): ByteArray {
    const at = this.step(n);
    const copy = new Uint8Array(n);
    copy.set(this.bytes.subarray(at, at + n));
    return copy;
  }

  /** Reads the length of a list with elements of at least size bytes each. */
  count(size: number): number {
    const n = this.uint32();
    if (n > Math.floor(this.left / size))
      this.fail(`a list has ${n} elements, but only ${this.left} bytes are left`, 4);
    return n;
  }
}

/** Returns a value, or throws a RangeError for one of another type, which DataView would convert. */
function typed<T>(type: string, value: T): T {
  if (typeof value !== type) throw new RangeError(`${String(value)} is not a ${type}`);
  return value;
}

export const bool: Codec<boolean> = {
  min: 1,
  write: (w, value) => w.uint8(typed("boolean", value) ? 1 : 0),
  read(r) {
    const b = r.uint8();
    if (b > 1) r.fail(`a flag is ${b}, but must be 0 or 1`, 1);
    return b === 1;
  },
};

export const int: Codec<number> = {
  min: 8,
  write(w, value) {
    if (!Number.isSafeInteger(value))
      throw new RangeError(`${value} is not a whole number within ±(2^53 - 1)`);
    w.int64(BigInt(value));
  },
  read(r) {
    const n = Number(r.int64());
    if (!Number.isSafeInteger(n)) r.fail(`${n} is outside ±(2^53 - 1)`, 8);
    return n;
  },
};

/** A number up to 2^53 - 1, and a bigint beyond. */
export const uint64: Codec<number | bigint> = {
  min: 8,
  write(w, value) {
    const n = typeof value === "bigint" || Number.isSafeInteger(value) ? BigInt(value) : -1n;
    if (n !== BigInt.asUintN(64, n))
      throw new RangeError(
        `${value} is neither a whole number from 0 to 2^53 - 1 nor a bigint below 2^64`,
      );
    w.int64(BigInt.asIntN(64, n));
  },
  read(r) {
    const n = BigInt.asUintN(64, r.int64());
    return n <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(n) : n;
  },
};

export const float64: Codec<number> = {
  min: 8,
  write: (w, value) => w.float64(typed("number", value)),
  read: (r) => r.float64(),
};

/** A number that is null if there is none. Messages have NaN for it. */
export const measured: Codec<number | null> = {
  min: 8,
  write: (w, value) => float64.write(w, value ?? NaN),
  read(r) {
    const x = r.float64();
    return Number.isNaN(x) ? null : x;
  },
};

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export const text: Codec<string> = {
  min: 4,
  write: (w, value) => bytes.write(w, encoder.encode(typed("string", value))),
  read(r) {
    const n = r.count(1);
    try {
      return decoder.decode(r.raw(n));
    } catch (cause) {
      if (cause instanceof WireError) throw cause;
      return r.fail("a string is not UTF-8", n);
    }
  },
};

export const bytes: Codec<ByteArray> = {
  min: 4,
  write(w, value: ByteArray | Blob) {
    if (value instanceof Blob) {
      w.uint32(value.size);
      return w.blob(value);
    }
    w.uint32(value.length);
    w.raw(value);
  },
  read: (r) => r.raw(r.count(1)),
};

/** Typed arrays are little-endian on all JavaScript platforms, like the wire format. */
export const float32s: Codec<Float32Array> = {
  min: 4,
  write(w, value) {
    w.uint32(value.length);
    w.raw(value);
  },
  read: (r) => new Float32Array(r.raw(4 * r.count(4)).buffer),
};

export const float64s: Codec<Float64Array> = {
  min: 4,
  write(w, value) {
    w.uint32(value.length);
    w.raw(value);
  },
  read: (r) => new Float64Array(r.raw(8 * r.count(8)).buffer),
};

/** Float64 values as a plain array, faster than by `list`. */
export const numbers: Codec<number[]> = {
  min: 4,
  write: (w, value) => float64s.write(w, Float64Array.from(value)),
  read: (r) => Array.from(float64s.read(r)),
};

export const any: Codec<Any> = {
  min: 2,
  write(w, value) {
    switch (typeof value) {
      case "string":
        w.uint8(0);
        return text.write(w, value);
      case "boolean":
        w.uint8(1);
        return bool.write(w, value);
      default:
        if (Number.isSafeInteger(value)) {
          w.uint8(2);
          return int.write(w, value);
        }
        w.uint8(3);
        return float64.write(w, value);
    }
  },
  read(r) {
    const tag = r.uint8();
    switch (tag) {
      case 0:
        return text.read(r);
      case 1:
        return bool.read(r);
      case 2:
        return int.read(r);
      case 3:
        return float64.read(r);
    }
    return r.fail(`a value has the unknown type ${tag}`, 1);
  },
};

/** Returns the codec of a value or null, which undefined stands for too. */
export function optional<T>(codec: Codec<T>): Codec<T | null> {
  return {
    min: 1,
    write(w, value) {
      const given = value !== null && value !== undefined;
      w.uint8(given ? 1 : 0);
      if (given) codec.write(w, value);
    },
    read: (r) => (bool.read(r) ? codec.read(r) : null),
  };
}

export function list<T>(codec: Codec<T>): Codec<T[]> {
  return {
    min: 4,
    write(w, value) {
      w.uint32(value.length);
      for (const element of value) codec.write(w, element);
    },
    read(r) {
      const n = r.count(codec.min);
      return Array.from({ length: n }, () => codec.read(r));
    },
  };
}

/** Returns the codec of a list that is null if there is none. Messages have an empty list for it. */
export function filled<T>(codec: Codec<T[]>): Codec<T[] | null> {
  return {
    min: codec.min,
    write: (w, value) => codec.write(w, value ?? []),
    read(r) {
      const elements = codec.read(r);
      return elements.length > 0 ? elements : null;
    },
  };
}

/** Returns the codec of an object with any keys. A key of a message is an own property, whatever its name. */
export function record<T>(codec: Codec<T>): Codec<Record<string, T>> {
  const entry = list(struct<{ key: string; value: T }>({ key: text, value: codec }));
  return {
    min: 4,
    write: (w, values) =>
      entry.write(
        w,
        Object.entries(values).map(([key, value]) => ({ key, value })),
      ),
    read(r) {
      const at = r.left;
      const entries = entry.read(r);
      const keys = new Set(entries.map(({ key }) => key));
      if (keys.size < entries.length) r.fail("a key is there twice", at - r.left);
      return Object.fromEntries(entries.map(({ key, value }) => [key, value]));
    },
  };
}

export interface Struct<T> extends Codec<T> {
  readonly fields: { [K in keyof T]-?: Codec<T[K]> };
}

/** Returns the codec of an object: its fields in the order of the argument. */
export function struct<T>(fields: Struct<T>["fields"]): Struct<T> {
  const names = Object.keys(fields) as (keyof T)[];
  return {
    fields,
    min: Math.max(
      1,
      names.reduce((sum, name) => sum + fields[name].min, 0),
    ),
    write(w, value) {
      for (const name of names)
        try {
          fields[name].write(w, value[name]);
        } catch (cause) {
          if (!(cause instanceof RangeError) || cause instanceof FieldError) throw cause;
          throw new FieldError(String(name), cause.message);
        }
    },
    read(r) {
      const value = {} as T;
      for (const name of names) value[name] = fields[name].read(r);
      return value;
    },
  };
}
