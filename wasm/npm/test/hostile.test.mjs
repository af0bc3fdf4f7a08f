// Files that ask for too much are refused, and what was opened, failed or cancelled leaves nothing
// behind.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { load } from "../dist/node.js";
import { rejection, tinyBags, tinyModel, until } from "./support.mjs";

/** How often models and bags are opened, explained and closed; ROUNDS=1000 takes a minute. */
const rounds = Number(process.env.ROUNDS ?? 180);

/** How many of them an engine in a Worker of its own lives for. */
const each = 20;

describe("limits", () => {
  test("of a model and of bags", async () => {
    const engine = await load({ worker: false });
    // The message names the option that raises the limit; the reason does not.
    const exceeded = (error, limits, words) => {
      assert.equal(error.kind, "limit", JSON.stringify(limits));
      const [name] = Object.keys(limits);
      assert.equal(error.details.setting, name);
      assert.match(error.details.reason, words);
      const way = `; the option limits.${name} raises the limit`;
      assert.equal(error.message, error.details.reason + way);
    };
    for (const limits of [{ modelBytes: 10 }, { nodes: 1 }, { elements: 1 }, { runBytes: 8 }])
      exceeded(await rejection(engine.open(tinyModel(), { limits })), limits, /limit of \d+/);
    for (const limits of [{ bytes: 10 }, { instances: 1 }, { bags: 1 }, { columns: 3 }])
      exceeded(await rejection(engine.bags(tinyBags(), { limits })), limits, /limit is \d+/);
    for (const limits of [
      { work: 0 },
      { work: -1 },
      { work: 1.5 },
      { work: "many" },
      { depth: Infinity },
    ])
      assert.equal(
        (await rejection(engine.open(tinyModel(), { limits }))).kind,
        "setting",
        JSON.stringify(limits),
      );
    const model = await engine.open(tinyModel(), { limits: { work: 1, nodes: undefined } });
    const bag = await engine.bag(tinyBags(), { index: 3, limits: { instances: 1000 } });
    assert.equal((await model.predict(bag)).classes.length, 3); // so small a run is not counted
    engine.close();
  });
});

describe(`${rounds} rounds`, () => {
  test("leave the program's memory and handles as they were", async () => {
    const Original = globalThis.Go;
    let go;
    globalThis.Go = class extends Original {
      constructor() {
        super();
        go = this;
      }
    };
    const engine = await load({ worker: false });
    globalThis.Go = Original;
    const [sizes, values] = [[], []];
    for (let n = 0; n < rounds; n++) {
      await round(engine, n);
      sizes.push(go.mem.buffer.byteLength);
      values.push(go._values.length);
    }
    engine.close();
    // The first collection comes when 32 MB are in use, before the middle; then memory has steps.
    assert.ok(sizes.at(-1) <= 1.5 * sizes[sizes.length >> 1], `the program grows: ${sizes}`);
    // Go lets go of JavaScript values when it collects garbage, which is a round or two behind.
    assert.ok(
      values.at(-1) < 2 * values[values.length >> 1],
      `Go holds more and more of JavaScript: ${values}`,
    );
  });

  test("of engines in Workers leave no thread and no memory", async () => {
    const workers = () => process.report.getReport().workers.length;
    const [before, sizes] = [workers(), []];
    for (let n = 0; n < rounds; n += each) {
      const engine = await load();
      for (let i = n; i < n + each; i++) await round(engine, i);
      const model = await engine.open(tinyModel());
      const bag = await engine.bag(tinyBags(), { index: 3 });
      const running = rejection(model.explain(bag, { method: "milli", samples: 5000 }));
      assert.notEqual(workers(), before, "a worker that runs is not seen");
      engine.close();
      assert.equal((await running).kind, "cancelled");
      sizes.push(process.memoryUsage().rss);
    }
    await until(() => workers() === before);
    // An engine that stayed would be a tenth of a gigabyte and more.
    const [middle, last] = [sizes[sizes.length >> 1], sizes.at(-1)];
    assert.ok(
      last <= 1.25 * middle + (100 << 20),
      `the process grows: ${sizes.map((size) => size >> 20)} MB`,
    );
    console.log(
      `${sizes.length} engines of ${each} rounds: ${middle >> 20} MB in the middle, ` +
        `${last >> 20} MB at the end`,
    );
  });
});

/** Opens, explains and closes; some rounds are cancelled, some fail. */
async function round(engine, n) {
  const model = await engine.open(tinyModel());
  const bag = await engine.bag(tinyBags(), { index: 3, name: "tiny.csv" });
  if (n % 3 === 0) {
    await model.explain(bag, { method: "milli", seed: n });
  } else if (n % 3 === 1) {
    const stop = new AbortController();
    const stopped = rejection(
      model.explain(bag, {
        method: "all",
        samples: 5000,
        signal: stop.signal,
        onProgress: () => stop.abort(),
      }),
    );
    assert.equal((await stopped).kind, "cancelled");
  } else {
    assert.equal(
      (await rejection(engine.open(tinyModel().subarray(0, (n * 97) % 700)))).kind,
      "format",
    );
    assert.equal(
      (await rejection(model.explain(bag, { method: "milli", samples: -1 }))).kind,
      "setting",
    );
  }
  bag.close();
  model.close();
}
