// The program for graphics processors, in Chromium on one that is a program itself: SwiftShader.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { host, needsBrowser, openBrowser } from "../browser.mjs";
import { flags } from "./flags.mjs";
import { furthest, npm, testdata } from "../support.mjs";

/** How far the device may be from the CPU, relative to the largest number. */
const tolerance = 1e-4;

/**
 * Every model of the tests with a bag: a file of the model's, or numbers in the shape that it
 * takes.
 */
function models() {
  const list = [];
  const zoo = path.join(testdata, "models/zoo");
  for (const name of readdirSync(zoo)) {
    const [bag] = readdirSync(path.join(zoo, name)).filter((file) =>
      /^bag_[1-9]\d\.npy$/.test(file),
    );
    list.push({
      title: name,
      url: `/testdata/models/zoo/${name}/model.onnx`,
      bag: `/testdata/models/zoo/${name}/${bag}`,
    });
  }
  for (const [url, shape] of Object.entries({
    "/examples/tissue/model.onnx": [12, 3, 27, 27],
    "/examples/tissue/networks/mi-net-instance.onnx": [12, 3, 27, 27],
    "/testdata/models/mnist/mi_attn.onnx": [12, 1, 28, 28],
    "/testdata/models/mnist/mi_net_embedding.onnx": [12, 1, 28, 28],
  }))
    list.push({ title: url, url, name: npy(shape).toString("base64") });
  return list;
}

/** A file of numbers between -1 and 1. */
function npy(shape) {
  const head = `{'descr': '<f4', 'fortran_order': False, 'shape': (${shape.join(", ")},), }`;
  const header = Buffer.from(head.padEnd(117) + "\n");
  const size = Buffer.alloc(2);
  size.writeUInt16LE(header.length);
  const values = Float32Array.from({ length: shape.reduce((a, b) => a * b) }, (_, i) =>
    Math.sin(i * 12.9898 + 4.1414),
  );
  return Buffer.concat([
    Buffer.from("\x93NUMPY\x01\x00", "latin1"),
    size,
    header,
    Buffer.from(values.buffer),
  ]);
}

const off = (got, want) => furthest(got, want) / Math.max(1e-30, ...want.map(Math.abs));

describe("in Chromium on SwiftShader", needsBrowser, () => {
  let server, browser, page;
  const faults = [];
  const programs = []; // that the page and its workers have fetched
  before(async () => {
    assert.ok(
      existsSync(path.join(npm, "dist/bagscope-gpu.wasm")),
      "make wasm-gpu builds the program",
    );
    server = await host();
    browser = await openBrowser(flags);
    page = await browser.newPage();
    page.on("pageerror", (error) => faults.push(String(error)));
    page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
    page.on("request", (request) => {
      if (request.url().endsWith(".wasm")) programs.push(path.basename(request.url()));
    });
    await page.goto(`${server.url}wasm/npm/test/gpu/page.html`);
    await page.waitForFunction(() => window.bagscope);
  });
  after(async () => {
    await browser?.close();
    server?.close();
  });

  const digits = { url: "/examples/digits/model.onnx", bag: "/examples/digits/bags.npz" };

  test("a page that asks for nothing fetches the small program alone", async () => {
    assert.equal(await page.evaluate(() => window.bagscope.refused({})), undefined);
    assert.deepEqual(programs, ["bagscope.wasm"]);
  });

  test("what cannot be had is refused in words", async () => {
    const without = (options) => page.evaluate((o) => window.bagscope.without(o), options);
    const none = await without({ device: "gpu" });
    assert.equal(none.kind, "unavailable");
    assert.match(
      none.message,
      /use a browser with WebGPU and a page from https or localhost, or omit device/,
    );
    assert.equal((await without({ device: "tpu" })).kind, "setting");
    for (const options of [{ device: "auto" }, {}]) assert.equal(await without(options), undefined);
  });

  test("a program on the CPU never pays", async () => {
    assert.equal(await page.evaluate(() => window.bagscope.hasGraphicsProcessor()), false);
    const { notes } = await page.evaluate((m) => window.bagscope.answer("auto", m), digits);
    assert.doesNotMatch(notes.join(), /encoded the bag/);
  });

  test("a device that is lost leaves the work to the CPU, which is said", async () => {
    const { before, after } = await page.evaluate((m) => window.bagscope.lost(m), digits);
    assert.match(before.note, /encoded the bag: it computed/);
    assert.match(after.note, /was lost \(.+\): the CPU computed what it had not\.$/);
    for (const [i, numbers] of before.outputs.entries())
      assert.ok(off(after.outputs[i], numbers) <= tolerance);
  });

  test("every model of the tests gives the CPU's scores", async (t) => {
    for (const { title, ...model } of models())
      await t.test(title, async () => {
        const want = await page.evaluate((m) => window.bagscope.answer("cpu", m), model);
        const got = await page.evaluate((m) => window.bagscope.answer("gpu", m), model);
        assert.match(
          got.notes.at(-1),
          /^WebGPU adapter .* encoded the bag: it computed \d+ of \d+ steps\.$/,
        );
        for (const kind of ["outputs", "scores"])
          for (const [i, numbers] of want[kind].entries()) {
            const far = off(got[kind][i], numbers);
            assert.ok(far <= tolerance, `${kind} ${i} is off by ${far} of the largest`);
          }
      });
    assert.deepEqual(faults, []);
  });
});
