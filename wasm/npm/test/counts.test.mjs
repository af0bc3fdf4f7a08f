// How many requests a call sends to the program.
import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { load } from "../dist/node.js";
import { bundled, npm, tinyBags, tinyModel } from "./support.mjs";

const { decode } = await bundled(`export * from "${path.join(npm, "src/message.ts")}";`);

/** Returns a function that returns the kinds of the requests since its last call. */
function requests(t) {
  let sent = [];
  const { postMessage } = Worker.prototype;
  t.mock.method(Worker.prototype, "postMessage", function (message, list) {
    if (message instanceof Uint8Array) sent.push(decode(message).kind);
    return postMessage.call(this, message, list);
  });
  return () => {
    const kinds = sent;
    sent = [];
    return kinds;
  };
}

test("a file becomes a bag, a prediction, a plan and a report in two requests", async (t) => {
  const engine = await load();
  const model = await engine.open(tinyModel());
  const sent = requests(t);
  const set = await engine.bags(tinyBags(), { name: "tiny.csv", index: 3, model });
  const bag = await set.bag(3);
  assert.equal(bag.name, "bag24");
  const early = [];
  const report = await model.explain(bag, {
    method: "single",
    onPrediction: (prediction) => early.push(prediction),
    onPlan: (plan) => early.push(plan),
  });
  assert.deepEqual(sent(), ["readBags", "explain"]);
  assert.deepEqual(early, [await model.predict(bag), await model.plan(bag)]);
  assert.deepEqual(report, await model.explain(bag, { method: "single" }));
  assert.deepEqual(await (await set.bag(3)).values(), await bag.values());
  assert.deepEqual(sent().slice(-3), ["openBag", "getValues", "getValues"]);
  await assert.rejects(
    model.explain(bag, {
      onPlan() {
        throw new RangeError("mine");
      },
    }),
    RangeError,
  );
  engine.close();
});

test("a bag of a file takes one request, and its set is closed", async (t) => {
  const engine = await load();
  const sent = requests(t);
  assert.equal((await engine.bag(tinyBags(), { name: "tiny.csv", index: 2 })).name, "bag7");
  await engine.bags(tinyBags(), { name: "tiny.csv" });
  (await engine.bags(tinyBags(), { name: "tiny.csv", index: 1 })).close(); // the bag, too
  await new Promise((resolve) => setImmediate(resolve));
  const release = "release";
  assert.deepEqual(sent(), ["readBags", release, "readBags", "readBags", release, release]);
  await assert.rejects(engine.bag(tinyBags(), { name: "tiny.csv", index: 4 }), /bag 4|no bag/);
  engine.close();
});
