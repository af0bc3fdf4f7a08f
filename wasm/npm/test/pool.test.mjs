// Several workers share an explanation: the same bits as of one, whatever becomes of the others.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { Worker } from "node:worker_threads";
import { BagscopeError, load } from "../dist/node.js";
import {
  alone,
  attending,
  attendingBag,
  lengthy,
  rejection,
  root,
  testdata,
  tinyModel,
  wideBag,
} from "./support.mjs";

const digits = path.join(root, "examples/digits");

/** What a report is, to the last bit. */
const bits = (report) =>
  JSON.stringify(report, (_, x) => (typeof x === "bigint" ? `${x}n` : Object.is(x, -0) ? "-0" : x));

/** The threads that engines start from here on. */
function watchThreads() {
  const all = new Set();
  const { postMessage } = Worker.prototype;
  Worker.prototype.postMessage = function (...args) {
    all.add(this);
    return postMessage.apply(this, args);
  };
  return { all, restore: () => (Worker.prototype.postMessage = postMessage) };
}

describe("one worker or several", () => {
  const engines = [];
  const { all, restore } = watchThreads();
  before(async () => {
    for (const workers of [1, 2, 3]) engines.push(await load({ workers }));
  });
  after(() => {
    engines.forEach((engine) => engine.close());
    restore();
  });

  /** Explains and judges with every engine, and compares the answers' bits. */
  async function alike(model, openBag, options) {
    const reports = [];
    for (const engine of engines) {
      const opened = await engine.open(model);
      const bag = await openBag(engine);
      let last = [0, 0];
      let counted = "instances"; // are encoded first, if at all
      const onProgress = (done, total, of) => {
        if (of === "evaluations" && counted === "instances") [last, counted] = [[0, 0], of];
        assert.equal(of, counted);
        assert.ok(done >= last[0] && done <= total, `${done} of ${total} ${of} after ${last}`);
        last = [done, total];
      };
      const report = await opened.explain(bag, { ...options, onProgress });
      assert.equal(last[0], last[1]);
      assert.equal(counted, "evaluations");
      reports.push(bits([report, await opened.judge(bag, report, { metrics: "all", orders: 3 })]));
      bag.close();
      opened.close();
    }
    assert.equal(all.size, 1 + 2 + 3, "threads that have been spoken to");
    assert.equal(reports[1], reports[0]);
    assert.equal(reports[2], reports[0]);
  }

  test("the bundled digits, by every method", async () => {
    const bag = (engine) =>
      engine.bag(readFileSync(path.join(digits, "bags.npz")), { name: "bags.npz" });
    await alike(readFileSync(path.join(digits, "model.onnx")), bag, {
      method: "all",
      seed: 7,
      trace: true,
    });
  });

  test("a model whose instances look at each other", async () => {
    const model = readFileSync(path.join(testdata, attending));
    const bag = (engine) => engine.bag(Buffer.from(attendingBag()), { name: "rows.csv" });
    await alike(model, bag, {
      method: ["milli", "random_shap"],
      samples: 200,
      seed: 3,
      trace: true,
    });
  });

  test("errors are the same", async () => {
    const said = [];
    for (const engine of engines) {
      const model = await engine.open(tinyModel());
      const bag = await engine.bag(wideBag(), { name: "wide.csv" });
      const { kind, message, details } = await rejection(
        model.explain(bag, { method: "milli", budget: 3 }),
      );
      said.push({ kind, message, details });
    }
    assert.deepEqual(said[1], said[0]);
    assert.deepEqual(said[2], said[0]);
    assert.equal(said[0].kind, "budget");
  });
});

test("workers are counted", async () => {
  for (const workers of [0, 1.5, -1, 65, "many"]) {
    const error = await rejection(load({ workers }));
    assert.ok(error instanceof BagscopeError && error.kind === "setting", `${workers}: ${error}`);
  }
});

test("small work starts no second worker", async () => {
  const { all, restore } = watchThreads();
  const engine = await load();
  try {
    const model = await engine.open(readFileSync(path.join(digits, "model.onnx")));
    const bag = await engine.bag(readFileSync(path.join(digits, "bags.npz")), { name: "bags.npz" });
    await model.explain(bag, { method: "milli" });
    assert.equal(all.size, 1);
  } finally {
    restore();
    engine.close();
  }
});

describe("a worker that dies", () => {
  test("in the middle of an explanation changes nothing, is told of, and is replaced", async () => {
    const alone = await load({ workers: 1 });
    const lost = [];
    const engine = await load({ workers: 2, onWorkerLost: (reason) => lost.push(reason) });
    const { all, restore } = watchThreads();
    try {
      const explain = async (e, dies) => {
        const model = await e.open(readFileSync(path.join(digits, "model.onnx")));
        const bag = await e.bag(readFileSync(path.join(digits, "bags.npz")), {
          name: "bags.npz",
          index: 1,
        });
        const report = model.explain(bag, { method: "all", seed: 1 });
        if (dies) {
          while (all.size < 2) await new Promise((resolve) => setImmediate(resolve)); // the second has a task
          await [...all][1].terminate(); // which tells all who listen that it has ended
        }
        return bits(await report);
      };
      const want = await explain(alone);
      all.clear();
      assert.equal(await explain(engine, true), want);
      assert.equal(lost.length, 1, `told ${lost}`);
      assert.match(lost[0], /thread ended/);
      all.clear();
      assert.equal(await explain(engine), want);
      assert.equal(all.size, 2, "threads of the next explanation");
      assert.equal(lost.length, 1);
    } finally {
      restore();
      alone.close();
      engine.close();
    }
  });

  test("no thread is left after many engines", async () => {
    const { all, restore } = watchThreads();
    const ended = [];
    try {
      for (let round = 0; round < 8; round++) {
        all.clear();
        const engine = await load({ workers: 3 });
        const model = await engine.open(readFileSync(path.join(digits, "model.onnx")));
        const bag = await engine.bag(readFileSync(path.join(digits, "bags.npz")), {
          name: "bags.npz",
        });
        const report = model.explain(bag, { method: "milli", seed: round });
        if (round % 2) await report;
        else report.catch(() => {});
        while (all.size < 3) await new Promise((resolve) => setImmediate(resolve));
        for (const worker of all)
          ended.push(new Promise((resolve) => worker.once("exit", resolve)));
        engine.close();
      }
      assert.equal(ended.length, 24);
      await Promise.all(ended);
    } finally {
      restore();
    }
  });
});

test("a shared explanation is cancelled, and its helpers are free before it would have ended", async () => {
  const options = { workers: 2 };
  const opening = { plain: true }; // so that coalitions are shared
  const uncancelled = await alone(options, opening);
  const engine = await load(options);
  const model = await engine.open(tinyModel(), opening);
  const bag = await engine.bag(wideBag(), { name: "wide.csv" });
  try {
    for (let round = 0; round < 5; round++) {
      const controller = new AbortController();
      let running;
      const started = new Promise((resolve) => (running = resolve));
      const done = model.explain(bag, {
        ...lengthy,
        signal: controller.signal,
        onProgress: running,
      });
      done.catch(() => {});
      await started;
      controller.abort();
      assert.equal((await rejection(done)).kind, "cancelled");
      await model.explain(bag, { method: "inherent", skipMissing: true });
    }
    assert.equal(uncancelled.ended, false);
  } finally {
    uncancelled.close();
    engine.close();
  }
});
