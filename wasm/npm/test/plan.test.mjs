// What is told before an explanation: how pixels are prepared, and how coalitions of a bag are
// evaluated.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { load } from "../dist/node.js";
import { rejection, root, tinyBags, tinyModel } from "./support.mjs";

test("a plan says what runs once, what runs for coalitions, and where instances meet", async () => {
  const engine = await load();
  const digits = (name) => readFileSync(path.join(root, "examples/digits", name));
  const model = await engine.open(digits("model.onnx"));
  assert.deepEqual(model.info.preprocess, { scale: 1 / 255, mean: [0.1307], std: [0.3081] });
  const bag = await engine.bag(digits("bags.npz"), { name: "bags.npz", model });
  const plan = await model.plan(bag);
  assert.equal(plan.strategy, "attention");
  assert.equal(plan.once[0], "Conv");
  assert.deepEqual(plan.meet, ["Softmax", "MatMul"]);
  for (const op of plan.meet) assert.ok(plan.each.includes(op));
  assert.ok(plan.bytes > 4 * 29 * 28 * 28);
  // The same again, while an explanation of the same bag runs and when it has run.
  const [, beside] = await Promise.all([
    model.explain(bag, { method: "milli", samples: 2000 }),
    model.plan(bag),
  ]);
  assert.deepEqual(beside, plan);
  assert.equal((await rejection(model.plan(bag, { without: [99] }))).kind, "setting");

  const tiny = await engine.open(tinyModel(), { plain: true });
  assert.equal(tiny.info.preprocess, null);
  const other = await engine.bag(tinyBags(), { name: "tiny.csv", model: tiny });
  assert.equal((await tiny.plan(other)).strategy, "plain");
  engine.close();
});
