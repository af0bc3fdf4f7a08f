// The files that every door of bagscope reads, and explanations with places.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { load } from "../dist/node.js";
import { furthest, rejection, root, testdata } from "./support.mjs";

const read = (file) => readFileSync(path.join(root, file));

describe("the corpus", () => {
  let engine;
  const models = new Map();
  before(async () => (engine = await load({ worker: false })));
  after(() => engine.close());
  const open = async (file) => {
    if (!models.has(file)) models.set(file, await engine.open(read(file)));
    return models.get(file);
  };

  for (const c of JSON.parse(readFileSync(path.join(testdata, "corpus/corpus.json"), "utf8")))
    test(`${c.file} ${c.array ?? ""}`, async () => {
      const model = await open(c.model);
      const { array, index } = c;
      const bag = await engine.bag(read(c.file), {
        name: path.basename(c.file),
        ...{ array, index, model },
      });
      assert.equal(bag.instances, c.instances);
      const { prediction } = await model.predict(bag);
      // Both engines compute in float32.
      assert.ok(furthest([...prediction], c.prediction) <= 1e-6, `${prediction}`);
    });

  test("GeoJSON has the place of each explained instance, by its position in the bag", async () => {
    const model = await open("testdata/corpus/features.onnx");
    const file = "core/bagio/testdata/torch/dict.pt";
    const bag = await engine.bag(read(file), { name: "dict.pt", model });
    assert.equal(bag.slide.patchSize, 256);
    const report = await model.explain(bag, { method: "single", without: [0] });
    const bytes = await engine.geojson(bag, report);
    const { features } = JSON.parse(new TextDecoder().decode(bytes));
    assert.deepEqual(
      features.map((f) => f.properties.name),
      [1, 2, 3, 4].map((i) => `instance ${i}`),
    );
    assert.deepEqual(features[0].geometry.coordinates[0][0], [256, 256]);
    const [likely] = [...report.prediction.keys()].sort(byPrediction(report));
    const { scores } = report.explanations.find((e) => e.class === likely);
    const { measurements, classification } = features[3].properties;
    assert.equal(measurements[`single: ${report.classes[likely]}`], scores[3]);
    assert.match(classification.name, new RegExp(`${report.classes[likely]}|noise`));
    const green = await engine.geojson(bag, report, { colours: "green-red" });
    assert.notDeepEqual(green, bytes);
    assert.deepEqual(await engine.geojson(bag, report, { colours: "blue-orange" }), bytes);
    const named = (instanceNames) => engine.geojson(bag, report, { instanceNames });
    const called = JSON.parse(new TextDecoder().decode(await named(["", "ink", "", "", ""])));
    assert.deepEqual(
      called.features.map((f) => f.properties.name),
      ["ink", "instance 2", "instance 3", "instance 4"],
    );
    assert.match((await rejection(named(["ink"]))).message, /there are 1, and the bag has 5/);
    const map = (options) => engine.heatmap(bag, report, options);
    const plain = await map({});
    assert.deepEqual(await map({ colours: "blue-orange", strongest: 0 }), plain);
    assert.notDeepEqual(await map({ colours: "green-red" }), plain);
    const text = new TextDecoder("latin1").decode(await map({ strongest: 2.5 }));
    assert.match(text, /the strongest colour as stated/);
    assert.equal((await rejection(map({ strongest: -1 }))).kind, "setting");
  });

  test("a heat map of places is a BigTIFF, or an archive of tiles, and can be cancelled", async () => {
    const model = await open("testdata/corpus/features.onnx");
    const file = "core/bagio/testdata/torch/dict.pt";
    const bag = await engine.bag(read(file), { name: "dict.pt", model });
    const report = await model.explain(bag, { method: "single", without: [0] });
    const counts = [];
    const onProgress = (done, total) => counts.push([done, total]);
    const tiff = Buffer.from(await engine.heatmap(bag, report, { onProgress }));
    assert.equal(tiff.subarray(0, 4).toString("latin1"), "II\x2b\x00");
    for (const name of report.classes) assert.ok(tiff.includes(`Name="${name} (Single)"`), name);
    const [done, total] = counts.at(-1);
    assert.ok(done === total && total > 0, `${done} of ${total}`);
    const form = "zip";
    const names = (bytes) => Buffer.from(bytes).toString("latin1");
    assert.match(names(await engine.heatmap(bag, report, { form })), /dict_files\/0\/0_0\.png/);
    const named = await engine.heatmap(bag, report, { form, name: "map", classes: [1] });
    assert.match(names(named), /map\.dzi/);
    const signal = AbortSignal.abort();
    assert.equal((await rejection(engine.heatmap(bag, report, { signal }))).kind, "cancelled");
    const slash = engine.heatmap(bag, report, { form, name: "a/b" });
    assert.equal((await rejection(slash)).kind, "setting");
  });

  test("covariates are an object or text, and count before those of the file", async () => {
    const model = await open("testdata/corpus/patient.onnx");
    assert.deepEqual(
      model.info.covariates.map(({ name, size }) => [name, size]),
      [["age", 1]],
    );
    const file = read("testdata/corpus/patients.csv");
    const scores = async (inputs, index = 0) => {
      const bag = await engine.bag(file, { name: "patients.csv", index, model, inputs });
      return [...(await model.predict(bag)).scores];
    };
    // A decade adds 0.8 to the second class and takes 0.4 from the third; the first patient is 63.
    const own = await scores(undefined);
    const older = [0, 0.8, -0.4].map((step, c) => own[c] + 1.5 * step);
    for (const inputs of [{ age: 78 }, { age: [78] }, "age=78"])
      assert.ok(furthest(await scores(inputs), older) <= 1e-5, JSON.stringify(inputs));
    assert.deepEqual(await scores({}), own);
    for (const [inputs, says] of [
      [{ age: "78" }, /inputs.age is 78, and must be a finite number/],
      [{ age: Infinity }, /inputs.age is Infinity/],
      [{ age: [] }, /inputs.age is /],
      [{ "age=1;age": 2 }, /use a name of the model's inputs/],
      [[78], /must be text or an object/],
      [78, /inputs: 78 must be text or an object/],
      ["age", /must be NAME=NUMBER/],
    ]) {
      const error = await rejection(scores(inputs));
      assert.equal(error.kind, "setting");
      assert.equal(error.details.setting, "inputs");
      assert.match(error.message, says);
    }
    const bag = await engine.bag(file, { name: "patients.csv", model });
    const asked = { method: "single", output: "logit" };
    for (const [reference, decades] of [
      ["mean", 1 / 6],
      ["age=50", 1.3],
      [{ age: 50 }, 1.3],
    ]) {
      const { covariates } = await model.explain(bag, { ...asked, reference });
      const want = [0, 0.8 * decades, -0.4 * decades];
      assert.ok(furthest(covariates[0].adds, want) <= 1e-5, JSON.stringify(covariates));
    }
    const wrong = await rejection(model.explain(bag, { reference: { age: "old" } }));
    assert.equal(wrong.details.setting, "reference");
    assert.match(
      (await rejection(scores({ hight: 2 }))).message,
      /no covariate "hight", but "age"/,
    );
  });

  test("an open bag has its covariates, and is opened again with others", async () => {
    const model = await open("testdata/corpus/patient.onnx");
    const file = read("testdata/corpus/patients.csv");
    const bag = await engine.bag(file, { name: "patients.csv", model });
    const changed = await bag.withInputs({ age: 78 });
    const stated = [bag, changed].map(({ covariates }) => [...covariates[0].values]);
    assert.deepEqual(stated, [[63], [78]]);
    const own = (await model.predict(bag)).scores;
    bag.close(); // the other goes on without it
    const older = [0, 0.8, -0.4].map((step, c) => own[c] + 1.5 * step);
    assert.ok(furthest([...(await model.predict(changed)).scores], older) <= 1e-5);
    assert.equal((await rejection(changed.withInputs("age"))).kind, "setting");
    const unstated = await engine.bag(read("testdata/corpus/bag.npy"), { name: "bag.npy", model });
    assert.deepEqual(unstated.covariates, []);
    const error = await rejection(model.predict(unstated));
    assert.equal(error.kind, "bag");
    assert.equal(error.details.covariate, "age");
  });

  test("a bag without places has no GeoJSON", async () => {
    const model = await open("testdata/corpus/features.onnx");
    const bag = await engine.bag(read("testdata/corpus/bag.npy"), { name: "bag.npy", model });
    assert.equal(bag.slide, null);
    const report = await model.explain(bag, { method: "single" });
    const error = await rejection(engine.geojson(bag, report));
    assert.equal(error.kind, "bag");
    assert.match(error.message, /have no places/);
    assert.equal((await rejection(engine.heatmap(bag, report))).kind, "bag");
    const wrong = { ...report, instances: [0] };
    assert.equal((await rejection(engine.geojson(bag, wrong))).kind, "setting");
  });
});

const byPrediction =
  ({ prediction }) =>
  (a, b) =>
    prediction[b] - prediction[a];
