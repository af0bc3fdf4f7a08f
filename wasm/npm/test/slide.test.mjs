// Slides, read by ranges from a file.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { load } from "../dist/node.js";
import { rejection, root } from "./support.mjs";

const folder = path.join(root, "core/slide/testdata");

describe("a slide", () => {
  let engine;
  before(async () => (engine = await load()));
  after(() => engine.close());

  test("is described, and its regions are parts of its level", async () => {
    const file = new Blob([readFileSync(path.join(folder, "strips.svs"))]);
    const slide = await engine.slide(file, { name: "strips.svs" });
    assert.equal(slide.format, "Aperio");
    assert.equal(slide.name, "strips.svs");
    const [{ width, height }] = slide.levels;
    const whole = await slide.region(0, 0, 0, width, height);
    const part = await slide.region(0, 5, 7, 20, 10);
    for (const [x, y] of [
      [0, 0],
      [19, 9],
    ]) {
      const at = 4 * ((y + 7) * width + x + 5);
      const own = 4 * (y * 20 + x);
      assert.deepEqual(part.rgba.slice(own, own + 4), whole.rgba.slice(at, at + 4));
    }
    slide.close();
    assert.equal((await rejection(slide.region(0, 0, 0, 1, 1))).kind, "setting");
  });

  test("has an overview, a tissue mask and a grid", async () => {
    const slide = await engine.slide(readFileSync(path.join(folder, "jpeg_420.tif")));
    const small = await slide.overview(64);
    assert.equal(Math.max(small.width, small.height), 64);
    assert.equal(small.rgba.length, 4 * small.width * small.height);
    const tissue = await slide.tissue({ side: 64 });
    assert.equal(tissue.mask.length, tissue.width * tissue.height);
    assert.ok(tissue.threshold > 0);
    const all = await slide.grid({ patchSize: 16, tissue: null });
    const some = await slide.grid({ patchSize: 16, tissue: { side: 64, threshold: 200 } });
    assert.equal(all.x.length, all.y.length);
    assert.ok(some.x.length < all.x.length);
    slide.close();
  });

  test("that is none, or is compressed in another way, is refused in words", async () => {
    const none = await rejection(engine.slide(new Uint8Array(100), { name: "none.tif" }));
    assert.equal(none.kind, "format");
    assert.match(none.message, /none\.tif/);
    const bytes = readFileSync(path.join(folder, "lerc.tif"));
    const packed = await rejection(engine.slide(bytes, { name: "packed.tif" }));
    assert.equal(packed.kind, "unsupported");
    assert.match(packed.message, /LERC.*vips/);
  });
});
