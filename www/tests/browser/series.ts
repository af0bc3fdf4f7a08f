// A series of DICOM files by hand, with names that no output may hold.

/** What attributes that name a patient or a study hold. */
export const marker = 'MARKED';

/** An attribute in explicit VR, little endian. */
function element(tag: number, vr: string, value: string | number | Uint8Array): Buffer {
  const bytes =
    typeof value === 'number' ? Buffer.from([value & 255, value >> 8]) : Buffer.from(value);
  const padded = Buffer.concat([bytes, Buffer.alloc(bytes.length % 2)]);
  const head = Buffer.alloc(vr === 'OW' ? 12 : 8);
  head.writeUInt16LE(tag >>> 16, 0);
  head.writeUInt16LE(tag & 0xffff, 2);
  head.write(vr, 4, 'latin1');
  if (vr === 'OW') head.writeUInt32LE(padded.length, 8);
  else head.writeUInt16LE(padded.length, 6);
  return Buffer.concat([head, padded]);
}

/**
 * Axial slices of 28 x 28 pixels, 2.5 mm apart; every other one is empty, slice 0 is half white. With
 * a window, its centre and width, pixels have 16 bits.
 */
export function series(
  slices: number,
  window?: readonly [number, number],
): { name: string; bytes: Buffer }[] {
  return Array.from({ length: slices }, (_, i) => {
    const value = (p: number) =>
      i === 0 ? (p % 28 < 14 ? 0 : 255) : i % 2 ? 0 : Math.floor((p * (i + 3)) / 7);
    const list = Array.from({ length: 28 * 28 }, (_, p) => value(p));
    const values = window ? Uint16Array.from(list) : Uint8Array.from(list);
    const attributes: (readonly [number, string, string | number | Uint8Array])[] = [
      [0x00020010, 'UI', '1.2.840.10008.1.2.1'],
      [0x00080016, 'UI', '1.2.840.10008.5.1.4.1.1.2'],
      [0x00080018, 'UI', `2.25.80${i}`],
      [0x00080050, 'SH', `${marker}^1`],
      [0x00081030, 'LO', `${marker}^2`],
      [0x00100010, 'PN', `${marker}^JANE`],
      [0x00100020, 'LO', `${marker}^3`],
      [0x0020000d, 'UI', '2.25.70'],
      [0x0020000e, 'UI', '2.25.71'],
      [0x00200032, 'DS', `0\\0\\${2.5 * i} `],
      [0x00200037, 'DS', '1\\0\\0\\0\\1\\0 '],
      [0x00280002, 'US', 1],
      [0x00280004, 'CS', 'MONOCHROME2 '],
      [0x00280010, 'US', 28],
      [0x00280011, 'US', 28],
      [0x00280030, 'DS', '0.5\\0.5 '],
      [0x00280100, 'US', window ? 16 : 8],
      ...(window ?? []).map((v, at) => [0x00281050 + at, 'DS', String(v)] as const),
      [0x7fe00010, 'OW', new Uint8Array(values.buffer)],
    ];
    const head = [Buffer.alloc(128), Buffer.from('DICM')];
    return {
      name: `${i}.dcm`,
      bytes: Buffer.concat([...head, ...attributes.map((a) => element(...a))]),
    };
  });
}
