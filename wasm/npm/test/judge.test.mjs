// Explanations are judged as the command line judges them, in words where they cannot be, and until
// they are cancelled.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { load } from "../dist/node.js";
import { rejection, root, tinyBags, tinyModel, wideBag } from "./support.mjs";

const digits = (name) => path.join(root, "examples/digits", name);
/** Native and wasm values of a class differ by no more, and so do the means that metrics are. */
const promised = 1e-5;

describe("judge", () => {
  let engine, model, bag;
  before(async () => {
    engine = await load();
    model = await engine.open(readFileSync(digits("model.onnx")));
    bag = await engine.bag(readFileSync(digits("bags.npz")), { name: "bags.npz", model });
  });
  after(() => engine.close());

  test("says what the command line says of the same bag and seed", async () => {
    const methods = ["single", "one_removed", "combined"];
    const flags = ["--limit=1", `--method=${methods}`, "--metrics=all", "--seed=5", "--json"];
    const files = ["--model", digits("model.onnx"), "--bags", digits("bags.npz")];
    const run = ["run", "./tools/cmd/bagscope", "evaluate", ...files, ...flags];
    const native = JSON.parse(
      execFileSync("go", run, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }),
    );

    const report = await model.explain(bag, { method: methods });
    const { judgements, evaluations } = await model.judge(bag, report, {
      metrics: "all",
      seed: 5,
      references: true,
    });
    assert.equal(judgements.length, 5 * report.classes.length);
    let compared = 0;
    for (const { method, ...stats } of native.methods) {
      for (const [metric, { mean, n }] of Object.entries(stats)) {
        const values = judgements
          .filter((j) => j.method === method)
          .flatMap(({ values }) => values[metric] ?? []);
        assert.equal(values.length, n, `${method}: ${metric}`);
        if (n === 0) continue;
        const ours = values.reduce((sum, v) => sum + v, 0) / n;
        assert.ok(
          Math.abs(ours - mean) <= promised,
          `${method}: ${metric} is ${ours}, and ${mean} natively`,
        );
        compared++;
      }
    }
    assert.equal(compared, 5 * 7); // of eight metrics all but R², which these methods have not
    assert.ok(
      evaluations <= native.evaluations,
      `${evaluations} evaluations, ${native.evaluations} natively`,
    );
  });

  test("a report brings its seed, its output and what it left out", async () => {
    const without = [2, 7];
    const report = await model.explain(bag, { method: "milli", seed: 3, output: "logit", without });
    const judged = await model.judge(bag, report);
    assert.deepEqual(
      await model.judge(bag, report.explanations, { seed: 3, output: "logit", without }),
      judged,
    );
    assert.equal(judged.output, "logit");
    assert.deepEqual(judged.instances, report.instances);
    const { values, morf, lerf, spread } = judged.judgements[0];
    assert.deepEqual(Object.keys(values).sort(), ["aopc_r", "auprc", "ndcg"]);
    assert.equal(morf.length, bag.instances - 2);
    assert.ok(Math.abs(morf[0] - report.prediction[0]) <= 1e-9);
    assert.equal(lerf, null);
    assert.ok(spread > 0);
  });

  test("AOPC-R is the area between the curve and the random one", async () => {
    const report = await model.explain(bag, { method: ["single", "milli"] });
    const judged = await model.judge(bag, report, { metrics: "aopc_r", orders: 4 });
    for (const { class: c, values, morf } of judged.judgements) {
      const random = judged.random.find((r) => r.class === c);
      const area =
        morf.slice(1).reduce((sum, v, m) => sum + random.mean[m + 1] - v, 0) / (morf.length - 1);
      assert.ok(Math.abs(values.aopc_r - area) < 1e-9);
      assert.ok(random.deviation.every((d) => d >= 0) && random.deviation.some((d) => d > 0));
    }
    const one = await model.judge(bag, report, { metrics: "aopc_r", orders: 1 });
    assert.equal(one.judgements[0].spread, null);
    assert.equal(one.random[0].deviation, null);
    assert.ok(judged.evaluations < (4 + report.explanations.length) * bag.instances);
  });

  test("any scores can be judged", async () => {
    const truth = bag.labels.map((label) => (label === 8 ? 1 : 0)); // class 1 of the digits: an 8 and no 9
    const { judgements } = await model.judge(bag, [{ class: 1, scores: truth }], {
      metrics: ["ndcg", "srg"],
    });
    assert.deepEqual(Object.keys(judgements[0].values), ["ndcg", "srg"]);
    assert.equal(judgements[0].values.ndcg, 1);
    assert.equal(judgements[0].lerf.length, bag.instances);
    assert.equal(engine.metrics.find((m) => m.name === "aopc_r").title, "AOPC-R");
  });

  test("rankings and orders that no message can hold are errors of settings", async () => {
    const scores = new Array(bag.instances).fill(0);
    const cases = [
      [[{ class: 0, scores: scores.slice(1) }], {}],
      [[{ class: 0 }], {}],
      [[{ scores }], {}],
      [[], {}],
      [undefined, {}],
      [[{ class: 0, scores }], { orders: 0 }],
    ];
    for (const [rankings, options] of cases) {
      const error = await rejection(model.judge(bag, rankings, options));
      assert.equal(error.kind, "setting", `${JSON.stringify(options)}: ${error.message}`);
    }
  });

  test("it is cancelled, and tells its progress", async () => {
    const tiny = await engine.open(tinyModel(), { plain: true });
    const wide = await engine.bag(wideBag(), { name: "wide.csv" });
    const ranking = { class: 0, scores: Array.from({ length: wide.instances }, (_, i) => i) };
    const controller = new AbortController();
    const onProgress = () => controller.abort();
    const cancelled = tiny.judge(wide, [ranking], {
      orders: 2000,
      signal: controller.signal,
      onProgress,
    });
    assert.equal((await rejection(cancelled)).kind, "cancelled");
    const steps = [];
    await model.judge(bag, await model.explain(bag, { method: "single" }), {
      onProgress: (done, total) => steps.push([done, total]),
    });
    const [done, total] = steps.at(-1);
    assert.equal(done, total);
    assert.ok(steps.every(([d, t]) => d <= t && t === total));
  });

  test("a bag of one instance has no curve", async () => {
    const tiny = await engine.open(tinyModel());
    const one = await engine.bag(tinyBags(), { name: "tiny.csv", index: 0 });
    const judged = await tiny.judge(one, await tiny.explain(one, { method: "single" }));
    assert.deepEqual(judged.judgements[0].values, {});
    assert.deepEqual(judged.random[0], { class: 0, mean: [], deviation: null });
  });
});
