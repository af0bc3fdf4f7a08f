// Files that are too large to be copied about: they reach the engine as blobs, piece by piece.
import assert from "node:assert/strict";
import { openAsBlob } from "node:fs";
import { appendFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { load } from "../dist/node.js";
import { rejection, tinyModel } from "./support.mjs";

const [instances, features] = [400_000, 6]; // 9.6 MB: more than a piece
const values = Float32Array.from({ length: instances * features }, (_, i) => Math.sin(i % 1009));

function npy() {
  const header =
    `{'descr': '<f4', 'fortran_order': False, 'shape': (${instances}, ${features}), }`.padEnd(117) +
    "\n";
  const head = Uint8Array.of(0x93, ...Buffer.from("NUMPY"), 1, 0, 118, 0, ...Buffer.from(header));
  return new Uint8Array(Buffer.concat([head, Buffer.from(values.buffer)]));
}

for (const worker of [true, false]) {
  describe(`large files ${worker ? "in a worker thread" : "in the caller's thread"}`, () => {
    let engine, folder;
    before(async () => {
      engine = await load({ worker });
      folder = await mkdtemp(path.join(tmpdir(), "bagscope-"));
    });
    after(async () => {
      engine.close();
      await rm(folder, { recursive: true });
    });

    test("bytes, shared bytes, a blob and a file give the same bag", async () => {
      const bytes = npy();
      const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
      shared.set(bytes);
      for (const source of [
        bytes.buffer,
        bytes,
        shared,
        new Blob([bytes]),
        new File([bytes], "bag.npy"),
      ]) {
        for (const name of ["a", "ab", "abc", "abcd"]) {
          const bag = await engine.bag(source, { name });
          assert.equal(bag.instances, instances);
          assert.ok(Buffer.from((await bag.values()).buffer).equals(Buffer.from(values.buffer)));
          bag.close();
        }
      }
    });

    test("the caller may change its bytes while they are on their way", async () => {
      const bytes = npy();
      const pending = engine.bag(bytes, { name: "bag.npy" });
      bytes.fill(0);
      assert.deepEqual((await (await pending).values()).slice(0, 9), values.slice(0, 9));
    });

    test("what is asked behind a large file is answered behind it", async () => {
      const model = engine.open(tinyModel());
      const bag = engine.bag(npy(), { name: "bag.npy" });
      const small = engine.bag(Buffer.from("bag,f1,f2,f3,f4,f5,f6\nx,1,2,3,4,5,6\n"), {
        name: "small.csv",
      });
      assert.equal((await (await model).predict(await small)).prediction.length, 3);
      assert.equal((await (await model).predict(await bag)).prediction.length, 3);
    });

    test("a file that changes under the reader's hands", async () => {
      const file = path.join(folder, "bag.npy");
      await writeFile(file, npy());
      const blob = await openAsBlob(file);
      await appendFile(file, "more");
      const error = await rejection(engine.bag(blob, { name: "bag.npy" }));
      assert.equal(error.kind, "format");
      assert.match(error.message, /bag\.npy.*cannot be read.*open it again/);
      const next = await engine.bag(npy(), { name: "bag.npy" }); // the engine lives
      assert.equal(next.instances, instances);
    });
  });
}
