// Patches of slides, encoded in parts.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { load } from "../dist/node.js";
import { rejection, root } from "./support.mjs";

const slides = path.join(root, "core/slide/testdata");
const models = path.join(root, "www/tests/data");
const slow = () => readFileSync(path.join(models, "encoder4_slow.onnx"));

describe("patches of a slide", () => {
  let engine, slide;
  before(async () => {
    engine = await load({ workers: 2 });
    slide = await engine.slide(readFileSync(path.join(slides, "jpeg_420.tif")), { name: "a.tif" });
  });
  after(() => engine.close());
  const lay = (encoder, more = {}) =>
    slide.patches({ patchSize: 16, tissue: null, encoder, ...more });

  test("are encoded coarse to fine, and are the same as those of the saved file", async () => {
    const encoder = await engine.encoder(readFileSync(path.join(models, "encoder4.onnx")));
    assert.equal(encoder.info.patch.size, 16);
    const patches = await lay(encoder);
    const n = patches.grid.x.length;
    assert.deepEqual(patches.encoded, []);
    assert.equal(patches.stages.at(-1), n);
    await patches.encode({ until: patches.stages[0] });
    assert.deepEqual(
      patches.encoded,
      patches.order.slice(0, patches.stages[0]).sort((a, b) => a - b),
    );
    const counts = [];
    await patches.encode({ onProgress: (done, total) => counts.push([done, total]) });
    assert.deepEqual(counts.at(-1), [n, n]);
    const bag = await patches.bag();
    assert.deepEqual(bag.shape, [4]);
    assert.equal(bag.instances, n);
    assert.equal(bag.labels, null);
    const annotations = new TextEncoder().encode(
      '{"type":"Feature","properties":{"classification":{"name":"one"}},"geometry":' +
        '{"type":"Polygon","coordinates":[[[0,0],[9,0],[9,9],[0,9]]]}}',
    );
    const labelled = await bag.withAnnotations(annotations);
    assert.deepEqual(labelled.labels, [1, ...Array(n - 1).fill(0)]);
    assert.equal(await engine.recognise(annotations), "annotations");
    assert.equal(await engine.recognise(new TextEncoder().encode("x,y\n0,0\n9,0\n")), "places");
    assert.equal(await engine.recognise(new Uint8Array(), slide), "");
    const timm =
      '{"architecture":"resnet18","pretrained_cfg":{"input_size":[3,16,16],"mean":[0,0,0],"std":[1,1,1]}}';
    assert.equal(await engine.recognise(new TextEncoder().encode(timm)), "configuration");
    const file = await patches.file();
    const read = await engine.bag(file, { name: "a.h5" });
    assert.deepEqual(await read.values(), await bag.values());
    assert.deepEqual(read.boxes, bag.boxes);
    const model = await engine.open(readFileSync(path.join(models, "attention4.onnx")));
    patches.close();
    assert.equal((await model.predict(bag)).prediction.length, 2);
  });

  test("keep what is done after a cancellation, and go on in another grid or from a file", async () => {
    const encoder = await engine.encoder(slow());
    const patches = await lay(encoder);
    const controller = new AbortController();
    const stopped = patches.encode({
      signal: controller.signal,
      onProgress: () => controller.abort(),
    });
    assert.equal((await rejection(stopped)).kind, "cancelled");
    const { length } = patches.encoded;
    assert.ok(length > 0 && length < patches.order.length, `${length} are done`);
    const other = await lay(encoder, { from: patches });
    assert.deepEqual(other.encoded, patches.encoded);
    const resumed = await lay(encoder);
    await resumed.resume(await patches.file(), "a.h5");
    assert.deepEqual(resumed.encoded, patches.encoded);
    const another = await engine.encoder(readFileSync(path.join(models, "encoder4.onnx")));
    const wrong = await rejection((await lay(another)).resume(await patches.file(), "a.h5"));
    assert.equal(wrong.kind, "format");
    assert.match(wrong.message, /a\.h5.*encoder_sha256/);
  });

  test("say before they are encoded that no card states the preprocessing", async () => {
    const file = readFileSync(path.join(models, "encoder4.onnx"));
    const without = Buffer.from(
      file.toString("latin1").replace("\bbagscope", "\bhagscope"),
      "latin1",
    );
    const noted = await lay(await engine.encoder(without), { patchSize: 16 });
    assert.match(noted.notes.join(), /raw pixels 0 to 255.*states no preprocessing/);
    await noted.encode({ until: 1 });
    assert.match(noted.notes.join(), /states no preprocessing/);
    assert.deepEqual((await lay(await engine.encoder(file))).notes, []);
  });

  test("are encoded by the layers of a model that takes pictures", async () => {
    const model = await engine.open(readFileSync(path.join(models, "pixels.onnx")));
    const patches = await lay(undefined, { model });
    assert.deepEqual(patches.shape, []);
    await patches.encode();
    assert.deepEqual(patches.shape, [3]);
    const bag = await patches.bag();
    assert.deepEqual(bag.shape, [3]);
    assert.ok(!bag.raw);
    assert.equal((await model.predict(bag)).prediction.length, 2);
    const read = await engine.bag(await patches.file(), { name: "a.h5" });
    assert.deepEqual(await read.values(), await bag.values());
    const other = await lay(undefined, { model, from: patches });
    assert.deepEqual(other.encoded, patches.encoded);
    assert.deepEqual(other.shape, [3]);
  });

  test("need an encoder of the same engine, and refuse models of bags in words", async () => {
    const wrong = engine.encoder(readFileSync(path.join(models, "attention4.onnx")));
    assert.equal((await rejection(wrong)).kind, "unsupported");
    assert.equal((await rejection(lay({}))).kind, "setting");
  });
});
