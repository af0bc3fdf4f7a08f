// The table of questions that every face answers alike.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { load } from "../dist/node.js";
import { rejection, root } from "./support.mjs";

const read = (name) => readFileSync(path.join(root, "testdata/corpus", name), "utf8");
const answers = JSON.parse(read("answers.json"));

/** The name of an option in JavaScript. */
const named = (key) => key.replace(/_[a-z]/g, (part) => part[1].toUpperCase());

/** Calls for questions whose arguments are not those of the table. */
const calls = {
  explain: (model, bag, { methods, class: c, ...options }) =>
    model.explain(bag, {
      ...options,
      method: methods,
      ...(c === undefined ? {} : { classes: [c] }),
    }),
  async whatif(model, bag, { donor, ...options }) {
    if (!donor) return model.whatIf(bag, options);
    const members = Array.from({ length: bag.instances }, (_, i) => i);
    // A bag that is joined may lose instances too; a donor only gives some.
    const question = { moves: "add", members, ...options };
    const answer = await model.whatIf(await bag.with(donor), question);
    return withDonor(answer, bag, donor);
  },
  inside: (model, bag, { instance, ...options }) => model.inside(bag, instance, options),
};

/** An answer about a joined bag, with the numbers that the added instances have in their own. */
function withDonor(answer, bag, donor) {
  const own = (i) => i - bag.instances;
  return {
    ...answer,
    bag: { ...answer.bag, name: bag.name },
    donor,
    steps: answer.steps.map((s) => (s.added ? { ...s, instance: own(s.instance) } : s)),
    fewest: answer.fewest && { ...answer.fewest, added: answer.fewest.added.map(own) },
  };
}

/** A sentence without its numbers. */
const words = (sentence) => sentence.replace(/[\d.-]/g, "");

/** Values of classes. Other numbers are, or are made of, log-odds of saturated values. */
const values = /^\.(prediction|sufficient|necessary|curves|steps|fewest|without|mark\.change)\b/;

/** Fails at the first place where an answer differs by more than WebAssembly rounds. */
function same(got, want, at) {
  const near = (values.test(at) ? 1e-5 : 1e-3) * Math.max(1, Math.abs(want));
  if (typeof want === "number" && typeof got === "number")
    assert.ok(Math.abs(got - want) <= near, `${at}: ${got}, ${want}`);
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

/** A bag in the form of the command line. */
const bagJSON = ({ name, instances, instanceNames, featureNames }) => ({
  ...{ name, instances, instance_names: instanceNames, feature_names: featureNames },
});

/** An answer in the form of the command line: absent parts have no key, missing errors are a list. */
function asJSON({ coalitions, ...answer }, bag, { sha256 }) {
  const { name } = bag;
  assert.ok(!Object.values(answer).includes(undefined));
  const plain = JSON.parse(JSON.stringify(answer));
  const absent = ["sufficient", "necessary", "curves", "donor", "layers", "concepts"];
  for (const key of absent) if (plain[key] === null) delete plain[key];
  if ("stderr" in plain) {
    assert.notEqual(plain.stderr?.length, 0);
    plain.stderr ??= [];
  }
  if (plain.model) delete plain.model.name;
  plain.bag &&= bagJSON(plain.bag);
  plain.donor &&= bagJSON(plain.donor);
  if (plain.concepts)
    plain.concepts.list = plain.concepts.list.map(({ adjusted: adjusted_p, ...c }) => ({
      ...{ ...c, adjusted_p },
    }));
  // Of several models there are none here.
  for (const part of [plain, ...(plain.explanations ?? [])])
    if (!part.folds?.length) delete part.folds;
  // An explanation names the instances that it is about instead of the model and the bag.
  plain.trust &&= plain.trust.map(({ aopcr, ...t }) => ({ ...t, aopc_r: aopcr }));
  plain.missed &&= plain.missed.map(({ byItself, missedHere, ...m }) => ({
    ...m,
    by_itself: byItself,
    missed_here: missedHere,
  }));
  if (coalitions) {
    const { version } = answers["explained by default"];
    const about = {
      version,
      model: { sha256 },
      bag: { ...bagJSON(bag), name, instances: plain.instances.length },
    };
    Object.assign(plain, about);
    delete plain.instances;
    // Drawings need the scale of an explanation, files do not.
    for (const e of plain.explanations) {
      assert.ok(e.scale.own > 0 && e.scale.shared > 0);
      delete e.scale;
    }
  }
  return plain;
}

describe("questions", () => {
  let engine;
  const subjects = new Map();
  before(async () => {
    const digits = (name) => readFileSync(path.join(root, "examples/digits", name));
    engine = await load();
    const subject = async (file, name, data) => {
      const model = await engine.open(file);
      return { model, bags: await engine.bags(data, { name, model }) };
    };
    subjects.set(false, await subject(digits("model.onnx"), "bags.npz", digits("bags.npz")));
    const corpus = (name) => readFileSync(path.join(root, "testdata/corpus", name));
    const patients = "patients.csv";
    subjects.set(true, await subject(corpus("patient.onnx"), patients, corpus(patients)));
  });
  after(() => engine.close());

  /** The answer to a question of the table, in the form of the command line. */
  async function ask(question, patients, { index = 0, donor_index: from, ...options }) {
    const { model, bags } = subjects.get(patients);
    const { classes } = model.info;
    const given = Object.fromEntries(Object.entries(options).map(([k, v]) => [named(k), v]));
    if ("class" in given) {
      const at = classes.indexOf(given.class);
      given.class = at < 0 ? Number(given.class) : at;
    }
    if (from !== undefined) given.donor = await bags.bag(from);
    const bag = await bags.bag(index);
    const call = calls[question] ?? ((model, bag, options) => model[question](bag, options));
    return asJSON(await call(model, bag, given), bag, model.info);
  }

  const rows = JSON.parse(read("questions.json"));
  for (const { name, question, patients = false, options, error, says } of rows)
    test(name, async () => {
      const asked = ask(question, patients, options);
      if (error) {
        const { kind, message } = await rejection(asked);
        assert.equal(kind, error);
        assert.ok(message.includes(says), message);
      } else same(ordered(await asked), ordered(answers[name]), "");
    });
});
