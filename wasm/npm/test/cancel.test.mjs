// A long explanation is cancelled within 50 ms, predictions are answered while it runs, and
// explanations queue.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { BagscopeError, load } from "../dist/node.js";
import { lengthy, rejection, tinyBags, tinyModel, wideBag } from "./support.mjs";

/** The promise: a long run stops within so many milliseconds. */
const promised = 50;
/**
 * Milliseconds of processor time that this process has used: other processes do not count, as they
 * would on a clock.
 */
const spent = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

describe("cancel", () => {
  let engine, model, bag, one;
  before(async () => {
    engine = await load();
    model = await engine.open(tinyModel());
    bag = await engine.bag(wideBag(), { name: "wide.csv" });
    one = await engine.bag(tinyBags(), { name: "tiny.csv", index: 0 });
  });
  after(() => engine.close());

  /** An explanation that takes seconds, well under way. */
  async function long(signal) {
    let running;
    const started = new Promise((resolve) => (running = resolve));
    const done = model.explain(bag, { ...lengthy, signal, onProgress: running });
    done.catch(() => {});
    await started;
    return { done };
  }

  test("the promise is rejected at once and the engine is free soon after", async () => {
    const times = [];
    for (let round = 0; round < 7; round++) {
      const controller = new AbortController();
      const { done } = await long(controller.signal);
      await pause(15 * round);
      const from = spent();
      controller.abort();
      const error = await rejection(done);
      assert.ok(error instanceof BagscopeError && error.kind === "cancelled");
      // The next explanation waits in the queue until the cancelled one has ended.
      await model.explain(one, { method: "single" });
      times.push(spent() - from);
    }
    times.sort((a, b) => a - b);
    assert.ok(times[3] < promised, `free after ${times.map(Math.round)} ms`);
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

  test("a signal that is aborted afterwards does no harm", async () => {
    const controller = new AbortController();
    await model.explain(bag, { method: "single", signal: controller.signal });
    controller.abort();
    assert.equal((await model.predict(bag)).prediction.length, 3);
  });

  test("closing the engine rejects what is pending", async () => {
    const other = await load();
    const theirs = await other.open(tinyModel());
    const pending = theirs.explain(await other.bag(wideBag(), { name: "wide.csv" }), lengthy);
    await pause(20);
    other.close();
    assert.equal((await rejection(pending)).kind, "cancelled");
    assert.equal((await rejection(other.open(tinyModel()))).kind, "cancelled");
    other.close();
  });
});

test("in the caller's own thread timers get their turn, and so can cancel", async () => {
  const engine = await load({ worker: false });
  const model = await engine.open(tinyModel());
  const bag = await engine.bag(wideBag(), { name: "wide.csv" });
  const controller = new AbortController();
  let from;
  setTimeout(() => {
    from = spent();
    controller.abort();
  }, 50);
  const error = await rejection(model.explain(bag, { ...lengthy, signal: controller.signal }));
  assert.equal(error.kind, "cancelled");
  assert.ok(spent() - from < promised);
  engine.close();
});
