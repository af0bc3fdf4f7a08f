// A long explanation is cancelled, predictions are answered while it runs, and explanations queue.
// www/tests/bench measures how soon the engine is free.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { Worker } from "node:worker_threads";
import { BagscopeError, load } from "../dist/node.js";
import {
  alone,
  bundled,
  lengthy,
  npm,
  rejection,
  root,
  tinyBags,
  tinyModel,
  until,
  wideBag,
} from "./support.mjs";

const { decode } = await bundled(`export * from "${path.join(npm, "src/message.ts")}";`);

describe("cancel", () => {
  let engine, model, bag, one;
  before(async () => {
    engine = await load();
    model = await engine.open(tinyModel());
    bag = await engine.bag(wideBag(), { name: "wide.csv" });
    one = await engine.bag(tinyBags(), { name: "tiny.csv", index: 0 });
  });
  after(() => engine.close());

  /** The lengthy explanation, of which a share is done. */
  async function long(signal, share = 0) {
    let running;
    const started = new Promise((resolve) => (running = resolve));
    const onProgress = (done, total) => done >= share * total && running();
    const done = model.explain(bag, { ...lengthy, signal, onProgress });
    done.catch(() => {});
    await started;
    return { done };
  }

  test("the promise is rejected and the engine is free before the run would have ended", async () => {
    const uncancelled = await alone({ workers: 1 });
    for (const share of [0, 0, 0.01]) {
      const controller = new AbortController();
      const { done } = await long(controller.signal, share);
      controller.abort();
      const error = await rejection(done);
      assert.ok(error instanceof BagscopeError && error.kind === "cancelled");
      // The next explanation waits in the queue until the cancelled one has ended.
      await model.explain(one, { method: "single" });
    }
    assert.equal(uncancelled.ended, false);
    uncancelled.close();
  });

  test("a prediction is answered while an explanation runs", async () => {
    const controller = new AbortController();
    const { done } = await long(controller.signal);
    let ended = false;
    done.catch(() => (ended = true));
    const prediction = await model.predict(bag, { without: [3] });
    assert.equal(prediction.prediction.length, 3);
    assert.equal(ended, false);
    controller.abort();
    assert.equal((await rejection(done)).kind, "cancelled");
  });

  test("an explanation that waits is cancelled too, and the others go on", async () => {
    const first = new AbortController();
    const second = new AbortController();
    const running = model.explain(bag, { ...lengthy, signal: first.signal });
    const waiting = model.explain(bag, { method: "single", signal: second.signal });
    const last = model.explain(bag, { method: "single" });
    running.catch(() => {});
    second.abort();
    assert.equal((await rejection(waiting)).kind, "cancelled");
    first.abort();
    assert.equal((await rejection(running)).kind, "cancelled");
    assert.equal((await last).explanations.length, 3);
  });

  test("a signal that was aborted before", async () => {
    const signal = AbortSignal.abort();
    assert.equal(
      (await rejection(model.explain(bag, { method: "single", signal }))).kind,
      "cancelled",
    );
    assert.equal((await rejection(model.predict(bag, { signal }))).kind, "cancelled");
  });

  test("an aborted call rejects as fetch does, with the signal's reason", async () => {
    const controller = new AbortController();
    const running = rejection(model.explain(bag, { ...lengthy, signal: controller.signal }));
    const reason = new Error("another bag was chosen");
    controller.abort(reason);
    const own = await running;
    const signal = AbortSignal.timeout(0);
    await until(() => signal.aborted); // its own timer does not keep the process
    const late = [
      await rejection(model.explain(bag, { signal })),
      await rejection(model.predict(bag, { signal })),
    ];
    for (const error of [own, ...late])
      assert.deepEqual([error.name, error.kind], ["AbortError", "cancelled"]);
    assert.equal(own.cause, reason);
    for (const error of late) assert.equal(error.cause.name, "TimeoutError");
  });

  test("a signal that is aborted afterwards does no harm", async () => {
    const controller = new AbortController();
    await model.explain(bag, { method: "single", signal: controller.signal });
    controller.abort();
    assert.equal((await model.predict(bag)).prediction.length, 3);
  });

  test("closing the engine rejects what is pending", async () => {
    const other = await load();
    const theirs = await other.open(tinyModel());
    const wide = await other.bag(wideBag(), { name: "wide.csv" });
    let running;
    const started = new Promise((resolve) => (running = resolve));
    const pending = theirs.explain(wide, { ...lengthy, onProgress: running });
    pending.catch(() => {});
    await started;
    other.close();
    const error = await rejection(pending);
    assert.deepEqual([error.name, error.kind], ["BagscopeError", "cancelled"]); // nobody aborted it
    assert.equal((await rejection(other.open(tinyModel()))).kind, "cancelled");
    other.close();
  });
});

describe("opening", () => {
  let engine, slide, patches, set;
  before(async () => {
    engine = await load();
    set = await engine.bags(tinyBags(), { name: "tiny.csv" });
    slide = await engine.slide(file("core/slide/testdata/jpeg_420.tif"));
    const encoder = await engine.encoder(file(encoder4));
    patches = await slide.patches({ ...grid, encoder });
    await patches.encode();
  });
  after(() => engine.close());

  const encoder4 = "www/tests/data/encoder4.onnx";
  const grid = { patchSize: 16, tissue: null };
  const file = (name) => readFileSync(path.join(root, name));
  /** The request of each call, how many handles its answers open, and the call. */
  const calls = {
    "a model": ["openModel", 1, (o) => engine.open(tinyModel(), o)],
    "an encoder": ["openEncoder", 1, (o) => engine.encoder(file(encoder4), o)],
    "a bag": ["readBags", 2, (o) => engine.bag(tinyBags(), { name: "tiny.csv", ...o })],
    "a set of bags": ["readBags", 1, (o) => engine.bags(tinyBags(), { name: "tiny.csv", ...o })],
    "a bag of a set": ["openBag", 1, (o) => set.bag(1, o)],
    "a slide": ["openSlide", 1, (o) => engine.slide(file("core/slide/testdata/strips.svs"), o)],
    patches: ["layPatches", 1, (o) => slide.patches({ ...grid, ...o })],
    "a bag of patches": ["openPatches", 1, (o) => patches.bag(o)],
  };
  for (const [name, [kind, handles, open]] of Object.entries(calls))
    test(`of ${name} is cancelled, and leaves nothing open`, async (t) => {
      const early = await rejection(open({ signal: AbortSignal.abort("early") }));
      assert.deepEqual([early.name, early.cause], ["AbortError", "early"]);
      const controller = new AbortController();
      const released = new Set();
      const { postMessage } = Worker.prototype;
      t.mock.method(Worker.prototype, "postMessage", function (message, list) {
        const sent = message instanceof Uint8Array ? decode(message) : {};
        if (sent.kind === kind) controller.abort("late");
        if (sent.kind === "release") released.add(sent.body.handle);
        return postMessage.call(this, message, list);
      });
      assert.equal((await rejection(open({ signal: controller.signal }))).cause, "late");
      await until(() => released.size === handles);
    });
});

test("in the caller's own thread timers get their turn, and so can cancel", async () => {
  const engine = await load({ worker: false });
  const model = await engine.open(tinyModel());
  const bag = await engine.bag(wideBag(), { name: "wide.csv" });
  const controller = new AbortController();
  const onProgress = () => setTimeout(() => controller.abort());
  const asked = { ...lengthy, signal: controller.signal, onProgress };
  assert.equal((await rejection(model.explain(bag, asked))).kind, "cancelled");
  engine.close();
});
