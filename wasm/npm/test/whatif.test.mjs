// What-ifs beyond the table of questions: curves, changed bags, removed instances, and cancelling.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { load } from "../dist/node.js";
import { furthest, rejection, root, tinyModel, wideBag } from "./support.mjs";

const digits = (name) => readFileSync(path.join(root, "examples/digits", name));
/** The same evaluations in another order differ by no more. */
const promised = 1e-5;

describe("what-ifs", () => {
  let engine, model, bag;
  before(async () => {
    engine = await load();
    model = await engine.open(digits("model.onnx"));
    bag = await engine.bag(digits("bags.npz"), { name: "bags.npz", model });
  });
  after(() => engine.close());

  test("curves are those of sets, also without a map", async () => {
    const { curves: want, class: c } = await model.sets(bag, { curves: true, seed: 5 });
    const { explanations } = await model.explain(bag, { classes: [c], seed: 5 });
    const curves = await model.curves(bag, { scores: explanations[0].scores, seed: 5 });
    for (const name of ["kept", "removed"])
      for (const [n, point] of curves[name].entries())
        for (const key of ["instances", "best", "map", "random"])
          assert.ok(Math.abs(point[key] - want[name][n][key]) <= promised, `${name} ${key}`);
    assert.equal((await model.curves(bag)).kept[0].map, null);
  });

  test("what is missed of any instance is what the report states of the strongest", async () => {
    const { missed } = await model.explain(bag, { method: "consensus" });
    assert.ok(missed.length > 1);
    for (const m of missed) {
      const { instance, class: c, byItself: score, missedHere, unit } = m;
      const logOdds = unit === "log-odds";
      const one = await model.missed(bag, instance, { class: c, score, logOdds });
      assert.equal(one.unit, unit);
      assert.ok(Math.abs(one.missedHere - missedHere) <= promised, `${instance}`);
    }
  });

  test("a changed bag has the prediction of its members", async () => {
    const donor = await engine.bag(digits("bags.npz"), { name: "bags.npz", model, index: 1 });
    const joined = await bag.with(donor);
    assert.equal(joined.instances, bag.instances + donor.instances);
    const members = Array.from({ length: bag.instances }, (_, i) => i);
    const changed = [...members.slice(1), bag.instances];
    const [whole, one] = await model.score(joined, [members, changed]);
    assert.ok(furthest(whole, (await model.predict(bag)).prediction) <= promised);
    const moved = await joined.select(changed);
    assert.ok(furthest(one, (await model.predict(moved)).prediction) <= promised);
  });

  test("instances keep their numbers if others are removed", async () => {
    const rest = await model.inside(bag, 15, { cell: 14, without: [0, 3] });
    assert.equal(rest.instance, 15);
  });

  test("groups are instances that the model encodes alike, with their own numbers", async () => {
    const { groups } = await model.groups(bag);
    assert.ok(groups.length > 0);
    assert.ok(groups.every((g) => g.length > 1 && g.every((i, n) => n === 0 || i > g[n - 1])));
    const removed = groups[0][0];
    const rest = (await model.groups(bag, { without: [removed] })).groups;
    assert.ok(rest.length > 0 && !rest.flat().includes(removed));
  });

  test("concepts are named sets of instances, whose rule describes the model", async () => {
    const { groups, concepts } = await model.groups(bag, {
      concepts: "8s=16-17; 9s=15,21; rest=0-3",
    });
    assert.deepEqual(groups, [
      [16, 17],
      [15, 21],
      [0, 1, 2, 3],
    ]);
    assert.deepEqual(
      concepts.list.map(({ name, evident }) => [name, evident]),
      [
        ["8s", true],
        ["9s", true],
        ["rest", false],
      ],
    );
    assert.equal(concepts.rule.text, "“8s” and “9s”");
    const sum = concepts.list.reduce((all, { shapley }) => all + shapley, concepts.absent);
    assert.ok(Math.abs(sum - concepts.present) < 1e-9);
  });

  test("concepts of a file are text that names instances", async () => {
    const opened = await engine.open(tinyModel());
    const rows = "bag,f1,f2,f3,f4,f5,f6\n0,1,0,0,0,0,0\n0,0,1,0,0,0,0\n0,2,0,0,0,0,0\n";
    const bag = await engine.bag(Buffer.from(rows), { name: "bag.csv" });
    const names = "bag,f1,f2,f3,f4,f5,f6\nink,3,0,0,0,0,0\nrest,0,3,0,0,0,0\n";
    const concepts = await bag.concepts(new File([names], "names.csv"));
    assert.equal(concepts, "ink=0,2; rest=1");
    assert.deepEqual((await opened.groups(bag, { concepts, random: 0 })).groups, [[0, 2], [1]]);
    const data = Buffer.from(JSON.stringify([]));
    const none = bag.concepts({ name: "a.geojson", data });
    assert.equal((await rejection(none)).kind, "format");
  });

  test("what cannot be answered is an error in words", async () => {
    const score = (coalitions, options) => model.score(bag, coalitions, options);
    const other = await load();
    const foreign = await other.bag(wideBag(), { name: "wide.csv" });
    const wide = await engine.bag(wideBag(), { name: "wide.csv" });
    const kinds = [
      ["setting", () => model.curves(bag, { scores: [1, 2] })],
      ["setting", () => model.whatIf(bag, { members: [] })],
      ["setting", () => score([[bag.instances]])],
      ["setting", () => score([[]])],
      ["setting", () => score([])],
      ["setting", () => score([[0]], { output: "odds" })],
      ["setting", () => bag.with(foreign)],
      ["bag", () => bag.with(wide)],
      ["setting", () => model.inside(bag, 2, { without: [2] })],
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
