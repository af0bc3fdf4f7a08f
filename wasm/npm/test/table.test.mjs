// Tables of text: what their columns are taken for, and a model card that states it.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { load } from "../dist/node.js";
import { rejection } from "./support.mjs";

const corpus = new URL("../../../testdata/corpus/", import.meta.url);
let engine;
let table;
let model;
before(async () => {
  engine = await load({ worker: false });
  table = await readFile(new URL("measured.csv", corpus));
  model = await engine.open(await readFile(new URL("columns.onnx", corpus)));
});
after(() => engine.close());

const rolesOf = (view) => view.columns.map(({ label, role }) => `${label}=${role}`).join("; ");

test("a table begins as its file, by the model's card and by options before it", async () => {
  const name = "measured.csv";
  const card = "cx=x; cy=y; who=bag; grade=label";
  const features = "f1=feature; f2=feature; f3=feature; f4=feature";
  const view = await engine.table(table, { name, model });
  assert.equal(rolesOf(view), `area=skip; ${card}; ${features}; noise=skip`);
  assert.deepEqual(view.columns[0], {
    name: "area",
    label: "area",
    role: "skip",
    cells: ["0.0", "1.0", "2.0"],
  });
  assert.equal(view.more, 0);
  assert.equal(view.problem, "");
  const other = await engine.table({ name, data: table }, { model, columns: "area=feature" });
  assert.equal(rolesOf(other), `area=feature; ${card}; ${features}; noise=skip`);
});

test("rules that do not fit are a problem, and other files are refused", async () => {
  const view = await engine.table(table, { name: "t.csv", columns: "cx=x" });
  assert.match(view.problem, /x and y of places are stated by two columns/);
  const npy = await readFile(new URL("bag.npy", corpus));
  const error = await rejection(engine.table(npy, { name: "bag.npy" }));
  assert.equal(error.kind, "format");
  assert.match(error.message, /no table of text/);
});
