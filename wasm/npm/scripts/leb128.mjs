// Numbers in LEB128, as WebAssembly writes them: seven bits a byte, the lowest first.

/** The byte that a reader `{ bytes, at }` stands at, which it then leaves behind. */
function next(reader) {
  if (reader.at >= reader.bytes.length) throw new Error("the module ends within a number");
  return reader.bytes[reader.at++];
}

/** Reads an unsigned number of up to 53 bits. */
export function unsigned(reader) {
  let value = 0;
  for (let scale = 1; ; scale *= 128) {
    const byte = next(reader);
    value += (byte & 127) * scale;
    if (byte < 128) return value;
  }
}

/** Reads a signed number of 32 bits. */
export function signed(reader) {
  let value = 0;
  for (let shift = 0; ;) {
    const byte = next(reader);
    value |= (byte & 127) << shift;
    shift += 7;
    if (byte < 128) return byte & 64 && shift < 32 ? value | (-1 << shift) : value;
  }
}

/** Reads a signed number of 64 bits, as a BigInt. */
export function signed64(reader) {
  let value = 0n;
  for (let shift = 0n; ;) {
    const byte = next(reader);
    value |= BigInt(byte & 127) << shift;
    shift += 7n;
    if (byte < 128) return BigInt.asIntN(64, byte & 64 ? value | (-1n << shift) : value);
  }
}

export function unsignedBytes(value) {
  const bytes = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
  return [...bytes, value];
}

/** The bytes of a signed number of 32 bits. */
export function signedBytes(value) {
  const bytes = [];
  for (value |= 0; value < -64 || value > 63; value >>= 7) bytes.push((value & 127) | 128);
  return [...bytes, value & 127];
}

/** The bytes of a signed number of 64 bits, a BigInt. */
export function signed64Bytes(value) {
  const bytes = [];
  for (; value < -64n || value > 63n; value >>= 7n) bytes.push(Number(value & 127n) | 128);
  return [...bytes, Number(value & 127n)];
}
