// A program that dies says why, and the next request finds another with the same models and bags.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { load } from "../dist/node.js";
import { lengthy, rejection, tinyBags, tinyModel, wideBag } from "./support.mjs";

/** Lets a test hold the Go programs of engines that live in this thread. */
function holdPrograms() {
  const Original = globalThis.Go;
  const held = [];
  globalThis.Go = class extends Original {
    constructor() {
      super();
      held.push(this);
    }
  };
  return { held, restore: () => (globalThis.Go = Original) };
}

/**
 * Uses up the addresses of an instance's memory. Pages that nobody touches cost the machine
 * nothing.
 */
function exhaust(go) {
  const memory = go._inst.exports.mem;
  for (let pages = 1 << 15; pages >= 1; pages >>= 1) {
    try {
      for (;;) memory.grow(pages);
    } catch {
      // fewer pages may fit
    }
  }
  go.mem = new DataView(memory.buffer); // as when the program itself grows
}

describe("crash", () => {
  test("memory that has run out", async () => {
    const { held, restore } = holdPrograms();
    let engine;
    try {
      engine = await load({ worker: false });
      const model = await engine.open(tinyModel());
      const set = await engine.bags(tinyBags(), { name: "tiny.csv" });
      const bag = await set.bag(3);
      const chosen = await bag.select([0, 5, 9]);
      const wide = await engine.bag(wideBag(), { name: "wide.csv" });
      const before = await model.explain(chosen, { method: "milli" });
      bag.close(); // what was selected from it goes on without it

      assert.equal(held.length, 1);
      let running;
      const started = new Promise((resolve) => (running = resolve));
      const waiting = rejection(model.explain(wide, { ...lengthy, onProgress: running }));
      await started;
      exhaust(held[0]);
      const error = await rejection(engine.open(new Uint8Array(64 << 20)));
      assert.equal(error.kind, "internal");
      assert.match(error.message, /out of memory/);
      assert.equal(error.details.crashed, true);
      assert.match((await waiting).message, /out of memory/);

      const after = await model.explain(chosen, { method: "milli" });
      assert.deepEqual(after, before);
      assert.equal(held.length, 2);
      assert.equal((await set.bag(1)).instances, 2);
    } finally {
      restore();
      engine?.close();
    }
  });

  test("a trap", async () => {
    const { held, restore } = holdPrograms();
    let engine;
    try {
      engine = await load({ worker: false });
      const model = await engine.open(tinyModel());
      const bag = await engine.bag(tinyBags(), { name: "tiny.csv", index: 3 });
      const before = await model.predict(bag);
      new Uint8Array(held[0].mem.buffer).fill(0xff); // everything that it knows is wrong now
      const error = await rejection(model.predict(bag));
      assert.equal(error.kind, "internal");
      assert.equal(error.details.crashed, true);
      assert.deepEqual(await model.predict(bag), before);
    } finally {
      restore();
      engine?.close();
    }
  });
});

test("a program that is not beside the module, as in a bundle of Next.js", async (t) => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "bagscope-"));
  t.after(() => rm(folder, { recursive: true }));
  const text = await readFile(new URL("../dist/node.js", import.meta.url), "utf8");
  const beside = 'new URL("./bagscope.wasm", import.meta.url)';
  assert.equal(text.split(beside).length, 2);
  // Turbopack writes a value that is no absolute URL.
  const moved = text.replace(beside, '{ toString: () => "/_next/static/media/bagscope.wasm" }');
  for (const [name, code, words] of [
    ["alone.mjs", text, /ENOENT/],
    ["moved.mjs", moved, /Invalid URL/],
  ]) {
    await writeFile(path.join(folder, name), code);
    const { load } = await import(pathToFileURL(path.join(folder, name)));
    const error = await rejection(load());
    assert.deepEqual([error.name, error.kind], ["BagscopeError", "internal"]);
    assert.match(error.message, words);
    assert.match(error.message, /serverExternalPackages: \["bagscope"\]/);
  }
  const elsewhere = await rejection(load({ wasmURL: path.join(folder, "none.wasm") }));
  assert.match(elsewhere.message, /^the engine cannot be loaded: ENOENT[^;]*$/);
});

test("a wasm file that is none", async () => {
  await assert.rejects(
    load({ wasmURL: new URL("support.mjs", import.meta.url) }),
    WebAssembly.CompileError,
  );
});
