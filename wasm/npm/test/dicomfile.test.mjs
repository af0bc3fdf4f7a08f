// DICOM files about a series, as the engine writes them.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { load } from "../dist/node.js";
import { rejection, root } from "./support.mjs";

/** Returns an attribute in explicit VR, little endian. */
function element(tag, vr, value) {
  const bytes =
    typeof value === "number" ? Buffer.from([value & 255, value >> 8]) : Buffer.from(value);
  const padded = Buffer.concat([bytes, Buffer.alloc(bytes.length % 2)]);
  const head = Buffer.alloc(vr === "OW" ? 12 : 8);
  head.writeUInt16LE(tag >>> 16, 0);
  head.writeUInt16LE(tag & 0xffff, 2);
  head.write(vr, 4, "latin1");
  if (vr === "OW") head.writeUInt32LE(padded.length, 8);
  else head.writeUInt16LE(padded.length, 6);
  return Buffer.concat([head, padded]);
}

/** Returns slice i of a series of 28 x 28 pixels, 2.5 mm apart. */
function slice(i) {
  const pixels = Uint8Array.from({ length: 28 * 28 }, (_, p) =>
    i % 2 ? 0 : Math.floor((p * (i + 3)) / 7),
  );
  const attributes = [
    [0x00020010, "UI", "1.2.840.10008.1.2.1"],
    [0x00080016, "UI", "1.2.840.10008.5.1.4.1.1.2"],
    [0x00080018, "UI", `2.25.80${i}`],
    [0x00100010, "PN", "DOE^JANE"],
    [0x0020000d, "UI", "2.25.70"],
    [0x0020000e, "UI", "2.25.71"],
    [0x00200032, "DS", `0\\0\\${2.5 * i} `],
    [0x00200037, "DS", "1\\0\\0\\0\\1\\0 "],
    [0x00280002, "US", 1],
    [0x00280004, "CS", "MONOCHROME2 "],
    [0x00280010, "US", 28],
    [0x00280011, "US", 28],
    [0x00280030, "DS", "0.5\\0.5 "],
    [0x00280100, "US", 8],
    [0x7fe00010, "OW", pixels],
  ];
  return Buffer.concat([
    Buffer.alloc(128),
    Buffer.from("DICM"),
    ...attributes.map((a) => element(...a)),
  ]);
}

let engine;
before(async () => (engine = await load()));
after(() => engine.close());

test("a map and a report refer to the slices of a series", async () => {
  const model = await engine.open(readFileSync(path.join(root, "examples/digits/model.onnx")));
  const files = [2, 0, 1].map((i) => ({ name: `${i}.dcm`, data: slice(i) }));
  const bag = await engine.bag(files, { model });
  assert.deepEqual([...bag.slices.positions], [0, 2.5, 5]);
  assert.equal(bag.slices.rowSpacing, 0.5);
  const report = await model.explain(bag, { method: "single" });
  const text = async (o) => Buffer.from(await engine.dicom(bag, report, o)).toString("latin1");
  const time = new Date("2024-02-29T12:00:00Z");
  const map = await text({ time });
  assert.equal(map, await text({ form: "seg", time }));
  for (const file of [map, await text({ form: "sr" })]) {
    assert.equal(file.slice(128, 132), "DICM");
    assert.match(file, /2\.25\.70/);
    assert.match(file, /2\.25\.800/);
    assert.doesNotMatch(file, /DOE/);
  }
  assert.match(map, /20240229/);
  const groups = (file) => file.split("Measurement Group").length - 1;
  assert.equal(groups(await text({ form: "sr", top: 1 })), 1);
  assert.match(await text({ identifiers: slice(0) }), /DOE\^JANE/);
  assert.notEqual(await text({ time, colours: "green-red" }), map);
  assert.equal((await rejection(engine.dicom(bag, report, { form: "rtss" }))).kind, "setting");
});

test("a bag of a table has no DICOM files", async () => {
  const tiny = path.join(root, "wasm/parity/testdata");
  const model = await engine.open(readFileSync(path.join(tiny, "tiny.onnx")));
  const bag = await engine.bag(readFileSync(path.join(tiny, "tiny.csv")), {
    ...{ name: "tiny.csv", model },
  });
  assert.equal(bag.slices, null);
  const report = await model.explain(bag, { method: "single" });
  const error = await rejection(engine.dicom(bag, report));
  assert.equal(error.kind, "bag");
  assert.match(error.message, /not slices or patches of DICOM files/);
});
