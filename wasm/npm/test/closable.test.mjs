// What was opened is closed by `using`, also where JavaScript lacks the symbols of `using`.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { runInNewContext } from "node:vm";
import { build } from "esbuild";
import { load } from "../dist/node.js";
import { bundled, npm, rejection, root, tinyBags, tinyModel } from "./support.mjs";

const file = (name) => readFileSync(path.join(root, name));

// esbuild translates the syntax, which Node 20 lacks.
const { inBlock, inAsyncBlock } = await bundled(`
  export const inBlock = (opened) => { using one = opened; };
  export const inAsyncBlock = async (opened) => { await using one = opened; };
`);

test("everything that is opened is closed at the end of its block", async (t) => {
  const engine = await load();
  const model = await engine.open(tinyModel());
  const set = await engine.bags(tinyBags(), { name: "tiny.csv" });
  const bag = await set.bag(0);
  const slide = await engine.slide(file("core/slide/testdata/jpeg_420.tif"));
  const encoder = await engine.encoder(file("www/tests/data/encoder4.onnx"));
  const patches = await slide.patches({ patchSize: 16, tissue: null, encoder });
  for (const opened of [patches, encoder, slide, bag, set, model, engine]) {
    const close = t.mock.method(opened, "close");
    inBlock(opened);
    await inAsyncBlock(opened);
    assert.equal(close.mock.callCount(), 2);
  }
  assert.match((await rejection(model.predict(bag))).message, /^the model is closed$/);
});

test("without the symbols, those that compilers look for close", async () => {
  const { outputFiles } = await build({
    entryPoints: [path.join(npm, "src/closable.ts")],
    bundle: true,
    write: false,
    format: "iife",
    globalName: "module",
  });
  const code = `${outputFiles[0].text}; module.Closable`;
  const Closable = runInNewContext(code, { Symbol: { for: Symbol.for } });
  let closed = 0;
  const one = new (class extends Closable {
    close() {
      closed++;
    }
  })();
  one[Symbol.for("Symbol.dispose")]();
  await one[Symbol.for("Symbol.asyncDispose")]();
  assert.equal(closed, 2);
});
