// Options that no call reads are refused in plain JavaScript, too.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { BagscopeError, load } from "../dist/node.js";
import { optionNames } from "../scripts/options.mjs";
import { npm, rejection, root, tinyBags, tinyModel } from "./support.mjs";

describe("an unknown option is refused by", () => {
  let engine, model, set, bag, report, slide, patches;
  before(async () => {
    engine = await load();
    model = await engine.open(tinyModel());
    set = await engine.bags(tinyBags(), { name: "tiny.csv" });
    bag = await set.bag(2);
    report = await model.explain(bag, { method: "single" });
    const read = (name) => readFileSync(path.join(root, name));
    slide = await engine.slide(read("core/slide/testdata/jpeg_420.tif"));
    const encoder = await engine.encoder(read("www/tests/data/encoder4.onnx"));
    patches = await slide.patches({ patchSize: 16, tissue: null, encoder });
  });
  after(() => engine.close());

  const calls = {
    load,
    open: (o) => engine.open(tinyModel(), o),
    "open, limits": (limits) => engine.open(tinyModel(), { limits }),
    encoder: (o) => engine.encoder(tinyModel(), o),
    bag: (o) => engine.bag(tinyBags(), { name: "tiny.csv", ...o }),
    "bag, patch": (patch) => engine.bag(tinyBags(), { name: "tiny.csv", patch }),
    bags: (o) => engine.bags(tinyBags(), { name: "tiny.csv", ...o }),
    "bags, limits": (limits) => engine.bags(tinyBags(), { name: "tiny.csv", limits }),
    "bag of a set": (o) => set.bag(2, o),
    slide: (o) => engine.slide(tinyModel(), o),
    draw: (o) => engine.draw(bag, report, o),
    geojson: (o) => engine.geojson(bag, report, o),
    dicom: (o) => engine.dicom(bag, report, o),
    heatmap: (o) => engine.heatmap(bag, report, o),
    predict: (o) => model.predict(bag, o),
    explain: (o) => model.explain(bag, o),
    judge: (o) => model.judge(bag, report, o),
    plan: (o) => model.plan(bag, o),
    sets: (o) => model.sets(bag, o),
    curves: (o) => model.curves(bag, o),
    missed: (o) => model.missed(bag, 0, o),
    pairs: (o) => model.pairs(bag, o),
    whatIf: (o) => model.whatIf(bag, o),
    inside: (o) => model.inside(bag, 0, o),
    check: (o) => model.check(bag, o),
    groups: (o) => model.groups(bag, o),
    profile: (o) => model.profile(bag, o),
    score: (o) => model.score(bag, [[0]], o),
    region: (o) => slide.region(0, 0, 0, 1, 1, o),
    overview: (o) => slide.overview(8, o),
    tissue: (o) => slide.tissue(o),
    grid: (o) => slide.grid({ patchSize: 16, ...o }),
    "grid, tissue": (tissue) => slide.grid({ patchSize: 16, tissue }),
    patches: (o) => slide.patches({ patchSize: 16, ...o }),
    encode: (o) => patches.encode(o),
    "bag of patches": (o) => patches.bag(o),
  };
  for (const [name, call] of Object.entries(calls))
    test(name, async () => {
      const error = await rejection(call({ sampels: 3 }));
      assert.ok(error instanceof BagscopeError, String(error));
      assert.deepEqual([error.kind, error.details.setting], ["setting", "sampels"]);
      assert.match(error.message, /^"sampels" is not an option; the options are [a-z]\w+/);
    });

  test("the engine names those that there are, of every level", async () => {
    const { message } = await rejection(model.explain(bag, { sample: 3 }));
    for (const option of ["method", "samples", "signal", "onProgress"])
      assert.match(message, new RegExp(`\\b${option}\\b`));
  });

  test("undefined is no value, and options are an object", async () => {
    const { explanations } = await model.explain(bag, { method: "single", sample: undefined });
    assert.deepEqual(explanations, report.explanations);
    for (const options of [null, "milli", 7])
      assert.equal((await rejection(model.explain(bag, options))).kind, "setting");
  });
});

test("all interfaces of options are checked, but for those that only others extend", () => {
  const sources = readdirSync(path.join(npm, "src")).filter((name) => name.endsWith(".ts"));
  const text = sources.map((name) => readFileSync(path.join(npm, "src", name), "utf8")).join("");
  const checked = new Set([...text.matchAll(/\bknown\(\s*"(\w+)"/g)].map(([, name]) => name));
  const unchecked = Object.keys(optionNames()).filter((name) => !checked.delete(name));
  assert.deepEqual(unchecked.sort(), [
    "AskOptions",
    "LevelOptions",
    "MethodOptions",
    "ReadOptions",
    "TurnOptions",
  ]);
  assert.deepEqual([...checked], []);
});
