// Reads a drawn series of 512 x 512 pixels in the npm package, and prints how long it takes until a
// slice can be drawn, and the memory of the process beside the raw size.
//
//     node tools/dev/bench/series/read.mjs [slices]
import { load } from '../../../../wasm/npm/dist/node.js';

const count = Number(process.argv[2] ?? 600);
const side = 512;

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

/** Slice i as a DICOM file. */
function slice(i) {
  const values = Uint16Array.from({ length: side * side }, (_, p) => (p * (i + 3)) & 4095);
  const attributes = [
    [0x00020010, 'UI', '1.2.840.10008.1.2.1\0'],
    [0x00080016, 'UI', '1.2.840.10008.5.1.4.1.1.2\0'],
    [0x0020000e, 'UI', '2.25.71\0'],
    [0x00200032, 'DS', `0\\0\\${2.5 * i} `],
    [0x00200037, 'DS', '1\\0\\0\\0\\1\\0 '],
    [0x00280002, 'US', 1],
    [0x00280004, 'CS', 'MONOCHROME2 '],
    [0x00280010, 'US', side],
    [0x00280011, 'US', side],
    [0x00280100, 'US', 16],
    [0x00281052, 'DS', '-1024 '],
    [0x00281053, 'DS', '1 '],
    [0x7fe00010, 'OW', new Uint8Array(values.buffer)],
  ];
  const bytes = attributes.map((a) => element(...a));
  return new File([Buffer.alloc(128), 'DICM', ...bytes], `${i}.dcm`);
}

const engine = await load();
const files = Array.from({ length: count }, (_, i) => slice(i));
const raw = 2 * count * side * side;
const before = process.memoryUsage().rss;
let most = before;
const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 20);
const start = performance.now();
const bag = await engine.bag(files);
const one = await bag.select([0]);
await one.values();
const seconds = (performance.now() - start) / 1000;
clearInterval(watch);
most = Math.max(most, process.memoryUsage().rss);
console.log(
  `${count} slices of ${side} x ${side}: ${seconds.toFixed(1)} s, memory ` +
    `${((most - before) / raw).toFixed(2)} times the raw size of ${Math.round(raw / 2 ** 20)} MiB`,
);
engine.close();
