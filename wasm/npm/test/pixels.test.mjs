// Pixels of a picture that is decoded elsewhere: in memory, and asked for row by row.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { MessageChannel } from "node:worker_threads";
import { load } from "../dist/node.js";
import { rejection } from "./support.mjs";

const [width, height] = [300, 200];
const pixels = new Uint8Array(4 * width * height).map((_, i) => (i % 4 === 3 ? 255 : i * 7));
const patch = { size: 20, stride: 50, background: 128 };

/** A picture whose pixels a port answers, and the stretches that it was asked for. */
function asked(answer = (at, length) => pixels.slice(at, at + length)) {
  const stretches = [];
  const data = () => {
    const { port1, port2 } = new MessageChannel();
    port1.on("message", ({ at, length }) => {
      stretches.push([at, length]);
      port1.postMessage(answer(at, length));
    });
    return port2;
  };
  return { file: { name: "a.avif", data, width, height }, stretches };
}

for (const [where, options] of Object.entries({ "a thread": {}, "this thread": { worker: false } }))
  describe(`the engine in ${where}`, () => {
    let engine;
    before(async () => (engine = await load(options)));
    after(() => engine.close());

    test("cuts pixels in memory, and those of a port, alike", async () => {
      const held = { name: "a.avif", data: pixels, width, height };
      const want = await engine.bags([held], { patch });
      const { file, stretches } = asked();
      const got = await engine.bags([file], { patch });
      assert.deepEqual(got.cut, want.cut);
      assert.deepEqual([got.cut.across, got.cut.down, got.cut.means.length], [6, 4, 24]);
      const bags = await Promise.all([want.bag(0), got.bag(0)]);
      const [a, b] = await Promise.all(bags.map((bag) => bag.values()));
      assert.deepEqual(a, b);
      assert.ok(stretches.length > 0);
    });

    test("measures a grid, and says how far it is", async () => {
      const steps = [];
      const onProgress = (done, total) => steps.push([done, total]);
      const cut = await engine.survey(asked().file, { patch, onProgress });
      assert.deepEqual(cut, (await engine.bags([asked().file], { patch })).cut);
      assert.deepEqual(steps[0], [0, 4]);
    });

    test("reports what the port reports, and is cancelled while it waits", async () => {
      const broken = asked(() => new Error("the decoder ended")).file;
      assert.match((await rejection(engine.bags([broken], { patch }))).message, /decoder ended/);
      const controller = new AbortController();
      const slow = asked(() => controller.abort("late")).file;
      const error = await rejection(engine.survey(slow, { patch, signal: controller.signal }));
      assert.equal(error.cause, "late");
    });
  });

test("several pictures are a bag of whole pictures, and other sizes are refused", async () => {
  const engine = await load();
  const small = { name: "2.avif", data: new Uint8Array(16).fill(255), width: 2, height: 2 };
  const bag = await engine.bag([small, { ...small, name: "10.avif" }]);
  assert.deepEqual([bag.instances, ...bag.shape], [2, 3, 2, 2]);
  const error = await rejection(engine.bag([{ ...small, height: 3 }], { patch: { size: 1 } }));
  assert.match(error.message, /2\.avif: a picture of 2 x 3 pixels has 24 bytes, not 16/);
  const many = await rejection(
    engine.bag([small], { patch: { size: 1 }, limits: { instances: 2 } }),
  );
  assert.deepEqual([many.kind, many.details.strides], ["limit", "2 1\n4 1\n8 1"]);
  engine.close();
});
