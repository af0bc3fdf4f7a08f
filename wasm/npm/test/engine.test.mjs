// The package as a user meets it, in a worker thread and in the caller's own.
import assert from "node:assert/strict";
import { createHash, webcrypto } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { runInNewContext } from "node:vm";
import { BagscopeError, defaultMethod, load } from "../dist/node.js";
import { npm, parity, rejection, root, tinyBags, tinyModel } from "./support.mjs";

const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");

test("where there is no crypto.subtle, or it fails, a model has the same digest", async (t) => {
  for (const subtle of [undefined, { digest: () => Promise.reject(new Error("not today")) }]) {
    t.mock.getter(globalThis, "crypto", () => ({
      subtle,
      getRandomValues: (bytes) => webcrypto.getRandomValues(bytes),
    }));
    const engine = await load({ worker: false });
    const model = await engine.open(tinyModel());
    assert.equal(model.info.sha256, sha256(tinyModel()));
    engine.close();
    t.mock.restoreAll();
  }
});

for (const worker of [true, false]) {
  describe(worker ? "in a worker thread" : "in the caller's thread", () => {
    let engine, model, bags, bag;
    before(async () => {
      engine = await load({ worker });
      model = await engine.open(tinyModel(), { name: "tiny.onnx" });
      bags = await engine.bags(tinyBags(), { name: "tiny.csv" });
      bag = await bags.bag(2);
    });
    after(() => engine.close());

    test("places count the unit that the caller states", async () => {
      const table = new TextEncoder().encode("x,y,f1\n0,0,1\n64,0,2\n");
      const of = async (options) => {
        const { boxes, slide } = await engine.bag(table, { name: "t.csv", ...options });
        return [boxes[1].x, boxes[1].width, slide.mpp, slide.unit];
      };
      const patch = { size: 64 };
      assert.deepEqual(await of({ coordsUnit: "um", patch }), [64, 64, 0, "um"]);
      assert.deepEqual(await of({ coordsUnit: "um", slideMpp: 0.5, patch }), [128, 64, 0.5, ""]);
      assert.deepEqual(await of({ coordsUnit: "4" }), [256, 256, 0, ""]);
      const { kind, message } = await rejection(of({ coordsUnit: "miles" }));
      assert.equal(kind, "setting");
      assert.match(message, /use px, um/);
    });

    test("the default method explains, with what each score is worth", async () => {
      const report = await model.explain(bag);
      assert.deepEqual([...new Set(report.explanations.map((e) => e.method))], [defaultMethod]);
      const named = await model.explain(bag, { method: defaultMethod });
      for (const [n, e] of report.explanations.entries()) {
        assert.deepEqual(e.scores, named.explanations[n].scores);
        assert.equal(e.unit, "log-odds");
        assert.equal(e.neutral, 0);
        assert.equal(e.evident.length, e.scores.length);
        if (e.stderr)
          e.evident.forEach(
            (clear, i) => clear && assert.ok(Math.abs(e.scores[i]) > 1.9 * e.stderr[i]),
          );
      }
      const [single] = (await model.explain(bag, { method: "single" })).explanations;
      const mean = single.scores.reduce((a, b) => a + b) / single.scores.length;
      assert.ok(Math.abs(single.neutral - mean) < 1e-12);
      assert.equal(single.unit, "probability");
      assert.deepEqual(
        single.evident,
        single.scores.map((s) => Math.abs(s - mean) >= 1e-6),
      );
      assert.deepEqual(report.trust, []);
    });

    test("trust is measured on request", async () => {
      const { explanations, trust } = await model.explain(bag, {
        method: ["milli", "single"],
        trust: true,
      });
      assert.deepEqual(
        trust.map((t) => t.method),
        ["milli", "single"],
      );
      for (const { method, classes, aopcr, beaten, correlation, sentences, ...kept } of trust) {
        assert.deepEqual(
          classes,
          explanations.filter((e) => e.method === method).map((e) => e.class),
        );
        assert.ok(method in aopcr && "single" in aopcr && "one_removed" in aopcr);
        for (const list of [...Object.values(aopcr), beaten, correlation, sentences])
          assert.equal(list.length, classes.length);
        for (const list of [kept.shown, kept.sufficiency, kept.necessity, kept.recoverability])
          assert.equal(list.length, classes.length);
        kept.least.forEach((n, c) => assert.ok(n >= 0 && n <= kept.ranked[c]));
        for (const r of correlation) assert.ok(method === "single" ? r === 1 : r >= -1 && r <= 1);
        for (const words of sentences)
          assert.match(words, /^Removing the highest scores first lowers /);
      }
    });

    test("the engine tells what it offers", () => {
      assert.equal(engine.version, readFileSync(path.join(root, "version.txt"), "utf8").trim());
      const union = /MethodName =([^;]*);/.exec(
        readFileSync(path.join(npm, "src/methods.ts"), "utf8"),
      )[1];
      assert.deepEqual(
        engine.methods.map((m) => m.name),
        union.match(/"\w+"/g).map((name) => JSON.parse(name)),
      );
      assert.equal(engine.methods.find((m) => m.name === "one_removed").title, "One Removed");
      assert.ok(engine.methods.find((m) => m.name === "random_lime").options.includes("meanBag"));
      assert.equal(engine.settings.find((s) => s.name === "crc").beta, -5);
    });

    test("a model tells what it is", () => {
      assert.equal(model.info.name, "tiny.onnx");
      assert.deepEqual(model.info.classes, ["none", "one", "two"]);
      assert.equal(model.info.negative, 0);
      assert.equal(model.info.scale, "logits");
      assert.equal(model.info.inherent, "attention");
      assert.equal(model.info.sha256, sha256(tinyModel()));
      assert.equal(model.info.patch, null);
    });

    test("a card given beside the file wins", async () => {
      const card = { classes: ["a", "b", "c"], patch: { size: 9 } };
      for (const given of [card, JSON.stringify(card)]) {
        const other = await engine.open(tinyModel(), { card: given });
        assert.deepEqual(other.info.classes, ["a", "b", "c"]);
        assert.deepEqual(other.info.patch, { size: 9, stride: 9, background: 0 });
        other.close();
      }
    });

    test("tensors in a file beside the model", async () => {
      const [parts, bytes] = ["", ".data"].map((end) =>
        readFileSync(path.join(parity, `tiny_parts.onnx${end}`)),
      );
      const name = "tiny_parts.onnx.data";
      const want = await model.predict(bag);
      for (const external of [
        { [name]: bytes },
        { [name]: new Blob([bytes]) },
        [{ name, data: bytes }],
      ]) {
        const other = await engine.open(parts, { external });
        assert.deepEqual((await other.predict(bag)).scores, want.scores);
        other.close();
      }
      for (const external of [undefined, {}, { other: bytes }]) {
        const error = await rejection(engine.open(parts, { external }));
        assert.equal(error.kind, "missing");
        assert.equal(error.details.files, name);
        assert.ok(error.message.includes(name));
      }
      const twice = [1, 2].map(() => ({ name, data: bytes }));
      assert.equal(
        (await rejection(engine.open(parts, { external: twice }))).details.setting,
        "external",
      );
      assert.equal(
        (await rejection(engine.open(parts, { external: { [name]: bytes.subarray(1) } }))).kind,
        "format",
      );
    });

    test("the plain way explains like the fast one", async () => {
      const plain = await engine.open(tinyModel(), { plain: true });
      const on = async (m) =>
        (await m.explain(bag, { method: "milli", seed: 5 })).explanations.map((e) => e.scores);
      const [fast, slow] = [await on(model), await on(plain)];
      assert.equal(slow.length, 3);
      slow.forEach((scores, c) =>
        scores.forEach((v, i) => assert.ok(Math.abs(v - fast[c][i]) <= 1e-5, `${c} ${i}`)),
      );
      plain.close();
    });

    test("bags", async () => {
      assert.deepEqual([bags.length, ...bags.names], [4, "bag1", "bag2", "bag7", "bag24"]);
      assert.deepEqual(
        [bag.name, bag.instances, bag.shape, bag.raw, bag.boxes, bag.labels, bag.classes],
        ["bag7", 7, [6], false, null, null, [2]],
      );
      const values = await bag.values();
      assert.equal(values.length, 42);
      const chosen = await bag.select([3, 0]);
      assert.deepEqual(
        await chosen.values(),
        Float32Array.from([...values.slice(18, 24), ...values.slice(0, 6)]),
      );
      const fourth = await engine.bag(tinyBags(), { name: "tiny.csv", index: 3 });
      assert.equal(fourth.instances, 24);
    });

    test("predict, with and without instances", async () => {
      const whole = await model.predict(bag);
      assert.equal(whole.output, "prob");
      assert.ok(Math.abs(whole.prediction.reduce((a, b) => a + b) - 1) < 1e-12);
      assert.deepEqual(
        whole.outputs.map((o) => [o.name, o.shape]),
        [
          ["logits", [1, 3]],
          ["attention", [7, 1]],
        ],
      );
      assert.deepEqual(whole.scores, [...whole.outputs[0].data]);
      assert.deepEqual(whole.classes, ["none", "one", "two"]);
      const less = await model.predict(bag, { without: [1, 5], output: "logit" });
      const chosen = await model.predict(await bag.select([0, 2, 3, 4, 6]));
      assert.deepEqual(less.prediction, chosen.scores);
      assert.notDeepEqual(less.scores, whole.scores);
    });

    test("explain", async () => {
      const seen = [];
      const report = await model.explain(bag, {
        method: ["single", "milli"],
        classes: [2, 0],
        samples: 60,
        seed: 5n,
        trace: true,
        onProgress: (done, total) => seen.push([done, total]),
      });
      assert.deepEqual(
        report.explanations.map((e) => [e.method, e.class, e.scores.length]),
        [
          ["single", 2, 7],
          ["single", 0, 7],
          ["milli", 2, 7],
          ["milli", 0, 7],
        ],
      );
      const [single, , milli] = report.explanations;
      const alone = await model.predict(await bag.select([4]));
      // Instances alone are pooled in float64, a whole bag in float32.
      assert.ok(Math.abs(single.scores[4] - alone.prediction[2]) < 2 ** -24);
      assert.deepEqual([single.stderr, single.r2], [null, null]);
      assert.ok(milli.r2 <= 1);
      assert.equal(milli.settings.samples, 60);
      assert.equal(report.seed, 5);
      assert.deepEqual(report.classes, ["none", "one", "two"]);
      assert.deepEqual(report.instances, [0, 1, 2, 3, 4, 5, 6]);
      assert.equal(report.coalitions.length, report.evaluations);
      assert.equal(report.coalitions[0], "1111111");
      assert.deepEqual(seen.at(-1), [report.evaluations, report.evaluations]);
      const again = await model.explain(bag, {
        method: ["single", "milli"],
        classes: [2, 0],
        samples: 60,
        seed: 5,
      });
      assert.deepEqual(again.explanations, report.explanations);
    });

    test("explain without instances, with given coalitions, with settings", async () => {
      const report = await model.explain(bag, { method: "one_removed", without: [2] });
      assert.deepEqual(report.instances, [0, 1, 3, 4, 5, 6]);
      const same = await model.explain(await bag.select([0, 1, 3, 4, 5, 6]), {
        method: "one_removed",
      });
      assert.deepEqual(report.explanations, same.explanations);
      const coalitions = ["1000000", "0111110", "0010011"];
      const given = await model.explain(bag, { method: "random_lime", coalitions, trace: true });
      // The whole bag comes before them, and what the summary asks after them.
      assert.deepEqual(given.coalitions.slice(1, 4), coalitions);
      const settings = async (o) =>
        (await model.explain(bag, { method: "milli", ...o })).explanations[0].settings;
      const crc = await settings({ settings: "crc", beta: 0 });
      assert.deepEqual([crc.alpha, crc.beta, crc.samples], [0.008, 0, 1000]);
    });

    test("a seed beyond 2^53 comes back whole", async () => {
      const seed = 2n ** 64n - 1n;
      assert.equal((await model.explain(bag, { method: "single", seed })).seed, seed);
    });

    test("draw", async () => {
      const report = await model.explain(bag, { method: "all", without: [6] });
      const picture = await engine.draw(bag, report, {
        method: "combined",
        classes: [1],
        kind: "bars",
        scale: 2,
      });
      assert.equal(picture.cells.filter((c) => c.class === 1).length >= 6, true);
      for (const cell of picture.cells)
        assert.ok(cell.x >= 0 && cell.x + cell.width <= picture.width && cell.instance < 7);
      const png = await picture.png();
      assert.equal(Buffer.from(png.subarray(1, 4)).toString(), "PNG");
      const bare = await engine.draw(bag, null);
      assert.ok(bare.cells.every((c) => c.class === null));
      assert.equal(
        (await rejection(engine.draw(bag, report, { method: "milli", classes: [9] }))).kind,
        "setting",
      );
    });
  });
}

describe("errors have kinds and words", () => {
  let engine, model, bag;
  before(async () => {
    engine = await load();
    model = await engine.open(tinyModel());
    bag = await engine.bag(tinyBags(), { name: "tiny.csv", index: 2 });
  });
  after(() => engine.close());

  const text = (s) => new TextEncoder().encode(s);
  const table = {
    "no model at all": ["format", () => engine.open(text("this is no model"))],
    "an operator that no engine has": [
      "unsupported",
      () =>
        engine.open(
          Buffer.from(tinyModel().toString("latin1").replace("Softmax", "Softmix"), "latin1"),
        ),
    ],
    "a card that is no JSON": ["format", () => engine.open(tinyModel(), { card: "{" })],
    "no method": ["setting", () => model.explain(bag, { method: [] })],
    "samples that are no whole number": [
      "setting",
      () => model.explain(bag, { method: "milli", samples: 1.5 }),
    ],
    "a negative seed": ["setting", () => model.explain(bag, { method: "milli", seed: -1 })],
    "coalitions of another bag": [
      "setting",
      () => model.explain(bag, { method: "random_shap", coalitions: ["10"] }),
    ],
    "memory that does not reach": [
      "memory",
      () => model.explain(bag, { method: "milli", memory: 100 }),
    ],
    "every instance left out": [
      "setting",
      () => model.predict(bag, { without: [0, 1, 2, 3, 4, 5, 6] }),
    ],
    "an instance that is not there": ["setting", () => model.predict(bag, { without: [7] })],
    "a closed bag": [
      "setting",
      async () => {
        const other = await bag.select([0]);
        other.close();
        other.close();
        await model.predict(other);
      },
    ],
    "a bag of another engine": [
      "setting",
      async () => {
        const other = await load();
        const theirs = await other.bag(tinyBags(), { name: "tiny.csv" });
        other.close();
        await model.predict(theirs);
      },
    ],
  };
  for (const [name, [kind, act]] of Object.entries(table)) {
    test(name, async () => {
      const error = await rejection(act());
      assert.ok(error instanceof BagscopeError, String(error));
      assert.equal(error.kind, kind, error.message);
      assert.ok(error.message.length > 10);
    });
  }

  test("a method that the model cannot serve", async () => {
    const bare = await engine.open(tinyModel(), { card: { inherent: null } });
    const report = await bare.explain(bag, { method: ["inherent", "single"] });
    const skipped = report.skipped.map((s) => s.method);
    const error = skipped.length
      ? await rejection(bare.explain(bag, { method: "inherent" }))
      : null;
    if (error) assert.equal(error.kind, "unavailable");
    assert.ok(report.explanations.length > 0);
  });

  test("a graphics processor in Node", async () => {
    const error = await rejection(load({ device: "gpu" }));
    assert.equal(error.kind, "unavailable");
    assert.match(error.message, /use a browser, or the command line built with the tag gpu/);
    const other = await load({ device: "cpu" });
    other.close();
  });

  test("a path where the content of a file belongs", async () => {
    const calls = [engine.open, engine.encoder, engine.bag, engine.bags, engine.slide];
    const lists = ["tiny.csv", undefined, null].map((one) => [engine.bag, [one]]);
    const sources = ["model.onnx", undefined, null, 7, new Response(), new Float32Array(6)];
    const cases = [...calls.flatMap((call) => sources.map((source) => [call, source])), ...lists];
    for (const [call, source] of cases) {
      const error = await rejection(call.call(engine, source));
      assert.ok(error instanceof BagscopeError, `${call.name}: ${error}`);
      assert.equal(error.kind, "setting");
      assert.match(error.message, /^the source has the type [A-Z]\w+, and must be the content of/);
    }
    const external = "model.onnx.data";
    assert.equal((await rejection(engine.open(tinyModel(), { external }))).kind, "setting");
  });

  test("bytes of another realm are taken", async () => {
    const bytes = runInNewContext("new Uint8Array(bytes)", { bytes: [...tinyBags()] });
    for (const source of [bytes, bytes.buffer])
      assert.equal((await engine.bag(source, { name: "tiny.csv" })).instances, 1);
  });

  test("a place in the file is told", async () => {
    const error = await rejection(engine.bag(text("bag,f1\n0,1\n0,x\n"), { name: "a.csv" }));
    assert.deepEqual(
      [error.details.file, error.details.row, error.details.column],
      ["a.csv", 3, 2],
    );
  });

  test("what a callback throws rejects its request, and the engine goes on", async () => {
    const fault = new Error("mine");
    const throws = () => {
      throw fault;
    };
    assert.equal(
      await rejection(model.explain(bag, { method: "milli", onProgress: throws })),
      fault,
    );
    assert.equal((await model.explain(bag, { method: "single" })).explanations.length, 3);
  });
});

test("the sources of the package carry its version", () => {
  const version = readFileSync(path.join(root, "version.txt"), "utf8").trim();
  assert.equal(JSON.parse(readFileSync(path.join(npm, "package.json"), "utf8")).version, version);
  assert.equal(
    JSON.parse(readFileSync(path.join(npm, "package-lock.json"), "utf8")).version,
    version,
  );
});
