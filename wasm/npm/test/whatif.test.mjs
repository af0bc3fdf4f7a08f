// What-ifs are those of the command line, and end when they are cancelled.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { load } from "../dist/node.js";
import { furthest, rejection, root, tinyModel, wideBag } from "./support.mjs";

const digits = (name) => path.join(root, "examples/digits", name);
/** Native and wasm values of a class differ by no more. */
const promised = 1e-5;

/** What a command prints of the first bag of the digits. */
function native(command, ...flags) {
  const files = ["--model", digits("model.onnx"), "--bag", digits("bags.npz")];
  const run = ["run", "./tools/cmd/bagscope", command, ...files, "--index=0", ...flags, "--json"];
  const stdio = ["ignore", "pipe", "pipe"];
  return JSON.parse(execFileSync("go", run, { cwd: root, encoding: "utf8", stdio }));
}

/** A sentence without its numbers. */
const words = (sentence) => sentence.replace(/-?[\d.]+(e-?\d+)?/g, "#");

describe("what-ifs", () => {
  let engine, model, bag;
  before(async () => {
    engine = await load();
    model = await engine.open(readFileSync(digits("model.onnx")));
    bag = await engine.bag(readFileSync(digits("bags.npz")), { name: "bags.npz", model });
  });
  after(() => engine.close());

  test("sets and curves are those of the command line", async () => {
    const want = native("sets", "--several=3", "--curves", "--seed=5");
    const report = await model.explain(bag, { classes: [want.class], seed: 5 });
    const both = await model.sets(bag, { several: 3, curves: true, seed: 5 });
    assert.equal(both.curves.kept.length, want.curves.kept.length);
    for (const kind of ["sufficient", "necessary"]) {
      const got = both[kind];
      assert.equal(both.class, want.class);
      assert.equal(both.level, null);
      assert.equal(both.output, "prob");
      assert.equal(both.model.sha256, want.model.sha256);
      assert.deepEqual(both.bag, want.bag);
      assert.ok(got.sets.length > 0);
      assert.deepEqual(
        got.sets.map((s) => [s.instances, s.smallest, s.enumerated]),
        want[kind].sets.map((s) => [s.instances, s.smallest, s.enumerated]),
      );
      for (const [n, { values }] of got.sets.entries())
        assert.ok(furthest(values, want[kind].sets[n].values) <= promised);
    }
    assert.equal((await model.sets(bag, { kind: "necessary" })).sufficient, null);
    const { scores } = report.explanations[0];
    const curves = await model.curves(bag, { scores, seed: 5 });
    for (const name of ["kept", "removed"])
      for (const [n, point] of curves[name].entries())
        for (const key of ["instances", "best", "map", "random"])
          assert.ok(Math.abs(point[key] - want.curves[name][n][key]) <= promised, `${name} ${key}`);
    assert.equal((await model.curves(bag)).kept[0].map, null);
  });

  test("pairs are those of the command line", async () => {
    const want = native("pairs", "--among=6", "--contexts=32", "--interaction=faithful");
    const got = await model.pairs(bag, { among: 6, contexts: 32, interaction: "faithful" });
    assert.deepEqual(got.among, want.among);
    assert.deepEqual(got.twins, want.twins);
    assert.equal(got.contexts, want.contexts);
    assert.equal(got.unit, want.unit);
    assert.equal(got.pairs.length, 15);
    for (const pair of got.pairs) {
      const other = want.pairs.find((p) => p.a === pair.a && p.b === pair.b);
      const near = 1e-3 * Math.max(1, Math.abs(other.value)); // log-odds of saturated values
      assert.ok(Math.abs(pair.value - other.value) <= near, `${pair.value} and ${other.value}`);
    }
  });

  test("a what-if takes instances of another bag", async () => {
    const want = native("whatif", "--donor-index=1");
    const donor = await engine.bag(readFileSync(digits("bags.npz")), {
      ...{ name: "bags.npz", model, index: 1 },
    });
    const joined = await bag.with(donor);
    assert.equal(joined.instances, bag.instances + donor.instances);
    const members = Array.from({ length: bag.instances }, (_, i) => i);
    const got = await model.whatIf(joined, { members, moves: "add" });
    assert.equal(got.above, want.above);
    assert.equal(got.turned, want.turned);
    const own = (i) => i - bag.instances; // its number in the donor
    assert.deepEqual(
      got.steps.map((s) => own(s.instance)),
      want.steps.map((s) => s.instance),
    );
    assert.deepEqual(got.fewest?.added.map(own), want.fewest?.added);

    const changed = [...members.slice(1), bag.instances];
    const [whole, one] = await model.score(joined, [members, changed]);
    const { prediction } = await model.predict(bag);
    assert.ok(furthest(whole, prediction) <= promised);
    const moved = await joined.select(changed);
    assert.ok(furthest(one, (await model.predict(moved)).prediction) <= promised);
  });

  test("the parts of an instance are those of the command line", async () => {
    const want = native("inside", "--instance=15", "--cell=7", "--hidden=blur", "--seed=5");
    const got = await model.inside(bag, 15, { cell: 7, hidden: "blur", seed: 5 });
    const same = ["class", "instance", "cell", "height", "width", "rows", "columns", "hidden"];
    for (const key of [...same, "unit", "samples", "contexts", "evident", "notes"])
      assert.deepEqual(got[key], want[key], key);
    assert.equal(got.scores.length, 16);
    // Log-odds of saturated values; scores of parts are up to this.
    const near = 1e-3 * Math.max(...want.scores.map(Math.abs));
    for (const key of ["scores", "stderr"]) assert.ok(furthest(got[key], want[key]) <= near, key);
    assert.ok(Math.abs(got.whole - want.whole) <= near);
    assert.ok(furthest(got.without, want.without) <= promised);
    // Up to ten cells are enumerated.
    const few = await model.inside(bag, 15, { cell: 14 });
    assert.equal(few.stderr, null);
    assert.equal(few.samples, 16);
    // Instances keep their numbers if others are removed.
    const rest = await model.inside(bag, 15, { cell: 14, without: [0, 3] });
    assert.equal(rest.instance, 15);
  });

  test("checks of a map are those of the command line", async () => {
    const want = native("check", "--method=single", "--seed=5");
    const got = await model.check(bag, { method: "single", seed: 5 });
    assert.equal(got.method, "single");
    assert.equal(got.class, want.class);
    assert.deepEqual(
      got.layers.steps.map((s) => s.layers),
      want.layers.steps.map((s) => s.layers),
    );
    assert.deepEqual(got.mark.instances, want.mark.instances);
    for (const check of ["layers", "noise", "mark"]) {
      assert.equal(got[check].passed, want[check].passed, check);
      // Its numbers have up to three digits.
      assert.equal(words(got[check].sentence), words(want[check].sentence));
    }
    for (const [n, { correlation }] of got.layers.steps.entries())
      assert.ok(Math.abs(correlation - want.layers.steps[n].correlation) <= 0.01);
    assert.ok(Math.abs(got.noise.correlation - want.noise.correlation) <= 0.01);
    assert.ok(Math.abs(got.mark.change - want.mark.change) <= promised);
    assert.deepEqual(got.notes, want.notes);
  });

  test("groups are instances that the model encodes alike, with their own numbers", async () => {
    const { groups } = await model.groups(bag);
    assert.ok(groups.length > 0);
    assert.ok(groups.every((g) => g.length > 1 && g.every((i, n) => n === 0 || i > g[n - 1])));
    const removed = groups[0][0];
    const rest = (await model.groups(bag, { without: [removed] })).groups;
    assert.ok(rest.length > 0 && !rest.flat().includes(removed));
  });

  test("what cannot be answered is an error in words", async () => {
    const score = (coalitions, options) => model.score(bag, coalitions, options);
    const other = await load();
    const foreign = await other.bag(wideBag(), { name: "wide.csv" });
    const wide = await engine.bag(wideBag(), { name: "wide.csv" });
    const kinds = [
      ["setting", () => model.sets(bag, { kind: "minimal" })],
      ["setting", () => model.sets(bag, { class: 99 })],
      ["setting", () => model.sets(bag, { several: 0 })],
      ["setting", () => model.sets(bag, { level: 2 })],
      ["setting", () => model.pairs(bag, { among: 1 })],
      ["setting", () => model.pairs(bag, { contexts: -1 })],
      ["setting", () => model.curves(bag, { scores: [1, 2] })],
      ["setting", () => model.whatIf(bag, { moves: "add" })],
      ["setting", () => model.whatIf(bag, { members: [] })],
      ["setting", () => score([[bag.instances]])],
      ["setting", () => score([[]])],
      ["setting", () => score([])],
      ["setting", () => score([[0]], { output: "odds" })],
      ["setting", () => bag.with(foreign)],
      ["bag", () => bag.with(wide)],
      ["budget", () => model.sets(bag, { budget: 3 })],
      ["setting", () => model.inside(bag, bag.instances)],
      ["setting", () => model.inside(bag, 2, { without: [2] })],
      ["setting", () => model.inside(bag, 2, { cell: 28 })],
      ["setting", () => model.inside(bag, 2, { hidden: "grey" })],
      ["setting", () => model.inside(bag, 2, { samples: 0 })],
      ["setting", () => model.check(bag, { method: "guess" })],
      ["setting", () => model.check(bag, { noise: 0 })],
      ["setting", () => model.check(bag, { marked: 2 })],
      ["budget", () => model.check(bag, { budget: 3 })],
    ];
    for (const [kind, call] of kinds)
      assert.equal((await rejection(call())).kind, kind, String(call));
    other.close();
  });

  test("a search is cancelled, and counts its evaluations", async () => {
    const tiny = await engine.open(tinyModel(), { plain: true });
    const wide = await engine.bag(wideBag(), { name: "wide.csv" });
    const controller = new AbortController();
    const steps = [];
    const onProgress = (done, total, of) => {
      steps.push([done, total, of]);
      controller.abort();
    };
    const search = tiny.pairs(wide, {
      ...{ among: 100, contexts: 1000 },
      ...{ signal: controller.signal, onProgress },
    });
    assert.equal((await rejection(search)).kind, "cancelled");
    assert.ok(steps.some(([done, total, of]) => done > 0 && total === 0 && of === "evaluations"));
    for (const ask of [
      (o) => model.inside(bag, 15, { ...o, samples: 60000 }),
      (o) => model.check(bag, o),
    ]) {
      const ended = new AbortController();
      const asked = ask({ signal: ended.signal, onProgress: () => ended.abort() });
      assert.equal((await rejection(asked)).kind, "cancelled");
    }
    assert.equal((await tiny.predict(wide)).prediction.length, 3); // the engine goes on
  });
});
