// The table of questions that every face answers alike.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { load } from "../dist/node.js";
import { rejection, root } from "./support.mjs";

const read = (name) => readFileSync(path.join(root, "testdata/corpus", name), "utf8");
const answers = JSON.parse(read("answers.json"));

/** Calls for the questions of the table, whose options have the keys of requests. */
const calls = {
  explain: (model, bag, { methods, class: c, ...options }) =>
    model.explain(bag, {
      ...options,
      method: methods,
      ...(c === undefined ? {} : { classes: [c] }),
    }),
  sets: (model, bag, options) => model.sets(bag, options),
  pairs: (model, bag, options) => model.pairs(bag, options),
  whatif: (model, bag, options) => model.whatIf(bag, options),
  groups: (model, bag, options) => model.groups(bag, options),
  inside: (model, bag, { instance, ...options }) => model.inside(bag, instance, options),
  check: (model, bag, options) => model.check(bag, options),
};

/** A sentence without its numbers. */
const words = (sentence) => sentence.replace(/[\d.-]/g, "");

/** Fails at the first place where an answer differs by more than WebAssembly rounds. */
function same(got, want, at) {
  if (typeof want === "number" && typeof got === "number")
    assert.ok(Math.abs(got - want) <= 1e-3 * Math.max(1, Math.abs(want)), `${at}: ${got}, ${want}`);
  else if (at.endsWith(".sentence")) assert.equal(words(got), words(want), at);
  else if (want === null || typeof want !== "object") assert.equal(got, want, at);
  else {
    assert.deepEqual(Object.keys(got).sort(), Object.keys(want).sort(), at);
    for (const key of Object.keys(want)) same(got[key], want[key], `${at}.${key}`);
  }
}

/** An answer whose pairs are in the order of instances: rounding decides between equal magnitudes. */
const ordered = (answer) =>
  answer.pairs
    ? { ...answer, pairs: answer.pairs.toSorted((p, q) => p.a - q.a || p.b - q.b) }
    : answer;

/** An answer in the form of the command line: absent parts have no key, missing errors are a list. */
function asJSON({ model, coalitions, ...answer }) {
  const plain = JSON.parse(JSON.stringify(answer));
  const absent = ["sufficient", "necessary", "curves", "donor", "layers"];
  for (const key of absent) if (plain[key] === null) delete plain[key];
  if (plain.stderr === null) plain.stderr = [];
  // An explanation names the instances that it is about instead of the bag.
  plain.trust &&= plain.trust.map(({ aopcr, ...t }) => ({ ...t, aopc_r: aopcr }));
  if (coalitions) {
    const { bag, version } = answers["explained by default"];
    Object.assign(plain, { version, bag: { ...bag, instances: plain.instances.length } });
    delete plain.instances;
  }
  return plain;
}

describe("questions", () => {
  let engine, model, bag, classes;
  before(async () => {
    const digits = (name) => readFileSync(path.join(root, "examples/digits", name));
    engine = await load();
    model = await engine.open(digits("model.onnx"));
    bag = await engine.bag(digits("bags.npz"), { name: "bags.npz", model });
    ({ classes } = model.info);
  });
  after(() => engine.close());

  for (const { name, question, options, error } of JSON.parse(read("questions.json")))
    test(name, async () => {
      const given = { ...options };
      if ("class" in given) {
        const at = classes.indexOf(given.class);
        given.class = at < 0 ? Number(given.class) : at;
      }
      const asked = calls[question](model, bag, given);
      if (error) assert.equal((await rejection(asked)).kind, error);
      else same(ordered(asJSON(await asked)), ordered(answers[name]), "");
    });
});
