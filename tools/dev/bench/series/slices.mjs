// A drawn CT series of the chest as DICOM files or as a NIfTI volume: a body, its lungs and spine, and
// a nodule.

export const side = 512;

/** An attribute in explicit VR, little endian. */
function element(tag, vr, value) {
  const bytes =
    typeof value === 'number' ? Buffer.from([value & 255, value >> 8]) : Buffer.from(value);
  const even = Buffer.concat([bytes, Buffer.alloc(bytes.length % 2)]);
  const head = Buffer.alloc(vr === 'OW' ? 12 : 8);
  head.writeUInt16LE(tag >>> 16, 0);
  head.writeUInt16LE(tag & 0xffff, 2);
  head.write(vr, 4, 'latin1');
  if (vr === 'OW') head.writeUInt32LE(even.length, 8);
  else head.writeUInt16LE(even.length, 6);
  return Buffer.concat([head, even]);
}

/** Hounsfield units that ellipses have: centre, half axes, and how these change from end to end. */
const organs = [
  [256, 270, 215, 150, 0, 40],
  [160, 260, 75, 105, 1, -820],
  [352, 260, 75, 105, 1, -820],
  [262, 225, 50, 55, 1, 60],
  [256, 380, 28, 26, 0, 320],
];

const noise = Int16Array.from({ length: 1 << 16 }, () => 24 * (Math.random() - 0.5));

/** The stored values of slice i of a series: Hounsfield units and 1024. */
function values(i, count) {
  const out = new Uint16Array(side * side).fill(24);
  const along = Math.sin((Math.PI * (i + 0.5)) / count);
  const nodule = Math.max(0, 1 - Math.abs(i / count - 0.6) / 0.03);
  const list = [...organs, [375, 235, 14 * nodule, 14 * nodule, 0, 45]];
  for (const [x, y, a, b, shrinks, hu] of list) {
    const [w, h] = shrinks ? [a * along, b * along] : [a, b];
    for (let row = Math.ceil(y - h); row < y + h; row++) {
      const half = w * Math.sqrt(Math.max(0, 1 - ((row - y) / h) ** 2));
      out.fill(hu + 1024, row * side + Math.ceil(x - half), row * side + Math.ceil(x + half));
    }
  }
  const from = (i * 7919) % noise.length;
  for (let p = 0; p < out.length; p++) out[p] += noise[(from + p) % noise.length];
  return out;
}

/** Slice i as the bytes of a DICOM file. */
export function slice(i, count) {
  const attributes = [
    [0x00020010, 'UI', '1.2.840.10008.1.2.1\0'],
    [0x00080016, 'UI', '1.2.840.10008.5.1.4.1.1.2\0'],
    [0x00080060, 'CS', 'CT'],
    [0x0020000e, 'UI', '2.25.71\0'],
    [0x00200032, 'DS', `-180\\-180\\${i} `],
    [0x00200037, 'DS', '1\\0\\0\\0\\1\\0 '],
    [0x00280002, 'US', 1],
    [0x00280004, 'CS', 'MONOCHROME2 '],
    [0x00280010, 'US', side],
    [0x00280011, 'US', side],
    [0x00280030, 'DS', '0.7\\0.7 '],
    [0x00280100, 'US', 16],
    [0x00281050, 'DS', '-400'],
    [0x00281051, 'DS', '1500'],
    [0x00281052, 'DS', '-1024 '],
    [0x00281053, 'DS', '1 '],
    [0x7fe00010, 'OW', new Uint8Array(values(i, count).buffer)],
  ];
  return Buffer.concat([
    Buffer.alloc(128),
    Buffer.from('DICM'),
    ...attributes.map((a) => element(...a)),
  ]);
}

/** The header of a NIfTI volume of all slices, whose rows go to the left and to the front. */
export function volumeHeader(count) {
  const head = Buffer.alloc(352);
  head.writeInt32LE(348, 0);
  [3, side, side, count, 1, 1, 1, 1].forEach((n, i) => head.writeInt16LE(n, 40 + 2 * i));
  head.writeInt16LE(512, 70); // whole numbers of 16 bits
  head.writeInt16LE(16, 72);
  [1, 0.7, 0.7, 1].forEach((x, i) => head.writeFloatLE(x, 76 + 4 * i));
  [352, 1, -1024].forEach((x, i) => head.writeFloatLE(x, 108 + 4 * i));
  [1100, -1900].forEach((x, i) => head.writeFloatLE(x, 124 + 4 * i)); // the range that is shown
  head.writeInt16LE(1, 254);
  [-0.7, 0, 0, 0, 0, -0.7, 0, 0, 0, 0, 1, 0].forEach((x, i) => head.writeFloatLE(x, 280 + 4 * i));
  head.write('n+1\0', 344, 'latin1');
  return head;
}

/** The bytes of slice i of a volume. */
export const voxels = (i, count) => Buffer.from(values(i, count).buffer);
