// The package in Chromium, from a static server, under a strict Content-Security-Policy.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { load } from "../dist/node.js";
import { host, needsBrowser, openBrowser } from "./browser.mjs";
import {
  differs,
  expected,
  explainOptions,
  furthest,
  lengthy,
  promised,
  tinyBags,
  tinyModel,
  until,
  wideBag,
} from "./support.mjs";

describe("in Chromium", needsBrowser, () => {
  let server, browser, page;
  const faults = [];
  const requests = [];
  before(async () => {
    server = await host();
    browser = await openBrowser();
    page = await browser.newPage();
    page.on("pageerror", (error) => faults.push(String(error)));
    page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
    page.on("request", (request) => requests.push(request.url()));
    await page.goto(`${server.url}wasm/npm/test/page.html`);
    await page.waitForFunction(() => window.bagscope);
    await page.evaluate(() => window.bagscope.start("worker", {}));
    await page.evaluate(() => window.bagscope.start("inline", { worker: false }));
    requests.length = 0;
  });
  after(async () => {
    await browser?.close();
    server?.close();
  });

  const explain = (name, { index, request }) =>
    page.evaluate(
      ([n, i, o]) => window.bagscope.explain(n, i, o),
      [name, index, explainOptions(request)],
    );

  test("a worker fetches and compiles the program, so that the page is not blocked", async () => {
    const other = await browser.newPage();
    await other.goto(`${server.url}wasm/npm/test/page.html`);
    await other.waitForFunction(() => window.bagscope);
    const fetched = () =>
      other.evaluate(
        () => performance.getEntriesByType("resource").filter((e) => /\.wasm$/.test(e.name)).length,
      );
    await other.evaluate(() => window.bagscope.start("worker", {}));
    assert.equal(await fetched(), 0, "in the page's thread");
    const connects = () => ["fetch", "XMLHttpRequest", "caches"].filter((x) => x in globalThis);
    const means = await Promise.all(other.workers().map((worker) => worker.evaluate(connects)));
    assert.deepEqual(means[0], [], "a worker that runs the program cannot connect");
    await other.evaluate(() => window.bagscope.start("inline", { worker: false }));
    assert.equal(await fetched(), 1, "without a worker");
    await other.close();
  });

  test("a URL that is none, and a file that is missing, are errors in words", async () => {
    const fails = (options) =>
      page.evaluate(
        (options) =>
          window.bagscope.start("broken", options).catch(({ kind, message }) => [kind, message]),
        options,
      );
    const wasmURL = "http://[";
    const wrong = ["internal", "the engine cannot be loaded: http://[ is not a URL"];
    assert.deepEqual(await fails({ wasmURL }), wrong);
    assert.deepEqual(await fails({ wasmURL, worker: false }), wrong);
    const [kind, message] = await fails({ wasmURL: "/none.wasm" });
    assert.equal(kind, "internal");
    assert.match(message, /the engine's file http.*none\.wasm cannot be loaded: 404/);
    requests.length = 0;
  });

  // parity.test.mjs compares all answers in Node.
  for (const name of ["worker", "inline"])
    test(`the same coalitions and scores as natively: ${name}`, async () => {
      const [answer] = expected.filter((a) => a.index === 3);
      assert.equal(differs(await explain(name, answer), answer), "");
    });

  test("explanations are judged as in Node", async () => {
    const options = { metrics: "all", seed: 4, references: true };
    const engine = await load();
    const model = await engine.open(tinyModel());
    const bag = await engine.bag(tinyBags(), { name: "tiny.csv", index: 3 });
    const want = await model.judge(bag, await model.explain(bag, { method: "single" }), options);
    engine.close();
    const got = await page.evaluate(
      ([n, i, o]) => window.bagscope.judge(n, i, o),
      ["worker", 3, options],
    );
    assert.equal(got.evaluations, want.evaluations);
    for (const [i, { method, values, morf }] of want.judgements.entries()) {
      assert.equal(got.judgements[i].method, method);
      assert.deepEqual(Object.keys(got.judgements[i].values), Object.keys(values));
      assert.ok(
        furthest(Object.values(got.judgements[i].values), Object.values(values)) <= promised,
      );
      assert.ok(furthest(got.judgements[i].morf, morf) <= promised);
    }
  });

  test("the same bits from one worker and from several", async () => {
    const digits = {
      model: "/examples/digits/model.onnx",
      bags: "/examples/digits/bags.npz",
      indices: [0, 1, 2],
    };
    const before = page.workers().length;
    const { answers, spoken } = await page.evaluate(
      (all) => window.bagscope.alike([1, 2, 3], ...all),
      [digits, { method: "all", seed: 4 }],
    );
    assert.equal(answers[1], answers[0]);
    assert.equal(answers[2], answers[0]);
    assert.ok(answers[0].length > 1000);
    assert.equal(spoken, 1 + 2 + 3, "workers that have been spoken to");
    await until(() => page.workers().length === before); // the engines were closed
    requests.length = 0; // it has started engines
  });

  test(
    "a worker that dies in the middle of an explanation changes nothing, is told of, " +
      "and is replaced",
    async () => {
      const digits = { model: "/examples/digits/model.onnx", bags: "/examples/digits/bags.npz" };
      const options = { method: "all", seed: 1 };
      const { want, answers, lost, spoken } = await page.evaluate(
        ([d, o]) => window.bagscope.dying(d, o),
        [digits, options],
      );
      assert.deepEqual(
        answers,
        answers.map(() => want),
      );
      assert.equal(lost.length, 1, `told ${lost}`);
      assert.match(lost[0], /the engine stopped/);
      assert.equal(
        spoken,
        3,
        "workers that have been spoken to: two, and one in the place of the dead",
      );
      requests.length = 0; // it has started engines
    },
  );

  test("a long explanation is cancelled, and the engine is free before it would have ended", async () => {
    const { kind, before } = await page.evaluate(
      ([wide, o]) => window.bagscope.cancel(wide, o),
      [String(wideBag()), lengthy],
    );
    assert.equal(kind, "cancelled");
    assert.ok(before, "an explanation that nobody cancelled ended before");
    requests.length = 0; // it has started engines
  });

  test("a canvas shows what the engine paints in a file", async () => {
    for (const options of [{ classes: [1] }, { scale: 2, dark: true, removed: [0, 3] }]) {
      const { size, whole, pixels, others } = await page.evaluate(
        (o) => window.bagscope.draw("worker", 2, o),
        options,
      );
      assert.deepEqual(size, whole);
      // Numbers beside bars and lines across removed instances have other edges.
      assert.ok(pixels > 1000 && others < 0.1 * pixels, `${others} of ${pixels} pixels differ`);
    }
  });

  test("a broken model is an error in words", async () => {
    const { kind, message } = await page.evaluate(() => window.bagscope.broken("worker"));
    assert.equal(kind, "format");
    assert.match(message, /model/);
  });

  test("nothing is asked of the network after the start, and nothing went wrong on the way", () => {
    // A worker that replaces another one may load its own script again.
    const others = requests.filter((url) => url !== `${server.url}wasm/npm/dist/worker.js`);
    assert.deepEqual(others, []);
    assert.deepEqual(faults, []);
  });
});
