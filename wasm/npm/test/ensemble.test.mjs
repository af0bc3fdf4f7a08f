// Several models as one: the answers, a member that is closed, and what is no ensemble.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { load } from "../dist/node.js";
import { rejection, root, tinyModel } from "./support.mjs";

const digits = (name) => readFileSync(path.join(root, "examples/digits", name));

test("several models are one, and stay so if one of them is closed", async (t) => {
  const engine = await load();
  t.after(() => engine.close());
  const names = ["fold0", "fold3"];
  const models = await Promise.all(
    names.map((name) => engine.open(digits(`folds/${name}.onnx`), { name })),
  );
  const bag = await engine.bag(digits("bags.npz"), { name: "bags.npz" });
  const options = { method: "one_removed", output: "logit" };
  const alone = await Promise.all(models.map((m) => m.explain(bag, options)));
  const ensemble = await engine.ensemble(models);
  models[0].close();
  const report = await ensemble.explain(bag, options);
  assert.deepEqual(
    report.folds.map((f) => f.name),
    names,
  );
  report.explanations.forEach(({ scores, folds }, n) => {
    const each = alone.map((r) => r.explanations[n].scores);
    assert.deepEqual(
      folds.scores.map((s) => [...s]),
      each.map((s) => [...s]),
    );
    scores.forEach((v, i) => assert.ok(Math.abs(v - (each[0][i] + each[1][i]) / 2) < 1e-4));
    assert.ok(folds.agree.every((n) => n >= 0 && n <= 2));
  });
  const { folds } = await ensemble.predict(bag, { without: [0] });
  assert.equal(folds.length, 2);

  const tiny = await engine.open(tinyModel());
  const other = await rejection(engine.ensemble([models[1], tiny]));
  assert.equal(other.kind, "setting");
  assert.equal(other.details.setting, "model");
  assert.equal((await rejection(engine.ensemble([models[1]], { mean: "prob" }))).kind, "setting");
  assert.equal((await rejection(engine.ensemble(models))).kind, "setting");
});
