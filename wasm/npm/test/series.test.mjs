// A series of many files, which are large together and stay with JavaScript.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { slice, volumeHeader, voxels } from "../../../tools/dev/bench/series/slices.mjs";
import { load } from "../dist/node.js";

const count = 10;
const pixels = 512 * 512;
const bytes = Array.from({ length: count }, (_, i) => slice(i, count));
const files = bytes.map((data, i) => new File([data], `${i}.dcm`));

/** Hounsfield units of pixels of a slice, as its file stores them. */
function stored(i, at) {
  const from = bytes[i].length - 2 * pixels;
  return bytes[i].readUInt16LE(from + 2 * at) - 1024;
}

let engine;
before(async () => (engine = await load()));
after(() => engine.close());

test("a series is opened by its headers, and a slice is read when it is asked for", async () => {
  const [bag, held] = [await engine.bag(files), await engine.bag(bytes.map((data) => ({ data })))];
  assert.equal(bag.instances, count);
  assert.deepEqual([...bag.slices.positions], [...Array(count).keys()]);
  for (const open of [bag, held]) {
    const one = await open.select([7, 2]);
    const values = await one.values();
    for (const at of [0, 130_000, pixels - 1]) {
      assert.equal(values[at], stored(7, at));
      assert.equal(values[pixels + at], stored(2, at));
    }
    one.close();
  }
  const all = await bag.values();
  assert.equal(all.length, count * pixels);
  assert.equal(all[9 * pixels + 130_000], stored(9, 130_000));
  bag.close();
  await assert.rejects(bag.values(), /closed/);
});

test("bags of a series stay readable until the last of them is closed", async () => {
  const set = await engine.bags(files);
  const [one, other] = [await set.bag(0), await set.bag(0)];
  set.close();
  one.close();
  const slice = await other.select([3]);
  assert.equal((await slice.values())[9], stored(3, 9));
  const again = await other.withInputs("");
  other.close();
  assert.equal((await again.values())[5 * pixels], stored(5, 0));
});

test("a series whose file has become shorter is an error of that slice", async () => {
  const short = files.with(4, new File([bytes[4].subarray(0, 40_000)], "4.dcm"));
  await assert.rejects(async () => {
    const bag = await engine.bag(short);
    await (await bag.select([3])).values();
    await bag.values();
  }, /4\.dcm/);
});

test("a NIfTI volume is opened by its header, and unpacking counts and ends", async () => {
  const data = Buffer.concat([volumeHeader(count), ...bytes.map((_, i) => voxels(i, count))]);
  const packed = new File([gzipSync(data, { level: 1 })], "v.nii.gz");
  for (const file of [new File([data], "v.nii"), packed]) {
    const bag = await engine.bag([file]);
    assert.equal(bag.instances, count);
    const one = await bag.select([7]);
    const stored = data.readUInt16LE(352 + 2 * (7 * pixels + 130_000)) - 1024;
    assert.equal((await one.values())[130_000], stored);
    bag.close();
  }
  const done = [];
  await engine.bag([packed], { onProgress: (n, all) => done.push([n, all]) });
  assert.deepEqual(done.at(-1), [1, 1]);
  const controller = new AbortController();
  const stopped = engine.bag([packed], {
    signal: controller.signal,
    onProgress: () => controller.abort(),
  });
  await assert.rejects(stopped, { name: "AbortError" });
});
