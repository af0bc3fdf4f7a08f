// Every architecture of the zoo, every bag size, every output, against what PyTorch gave.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { load } from "../dist/node.js";
import { furthest, readNpy, testdata } from "./support.mjs";

/** Relative to the largest element of an output. */
const tolerance = 1e-4;

test("an HDF5 file gives what its .npy file gives, and its slide; array chooses another bag", async () => {
  const zoo = path.join(testdata, "models/zoo/abmil_batch_first");
  const engine = await load();
  const model = await engine.open(readFileSync(path.join(zoo, "model.onnx")));
  const file = readFileSync(path.join(testdata, "hdf5/bag_30.h5"));
  const bag = await engine.bag(file, { model });
  assert.equal(bag.instances, 30);
  assert.deepEqual(bag.slide, {
    name: "",
    width: 4000,
    height: 3000,
    magnification: 0,
    mpp: 0,
    patchSize: 512,
    overlap: 0,
    unit: "",
    boundsX: 0,
    boundsY: 0,
    boundsWidth: 0,
    boundsHeight: 0,
    origin: "",
  });
  assert.deepEqual(bag.boxes[7], { x: 512, y: 512, width: 512, height: 512 });
  const want = readNpy(path.join(zoo, "logits_30.npy"));
  const { outputs } = await model.predict(bag);
  const [logits] = outputs;
  assert.ok(furthest(logits.data, want) <= tolerance * Math.max(...want.map(Math.abs)));
  const other = await engine.bag(file, { model, array: "other/embedding" });
  assert.deepEqual(
    [...(await other.values())],
    [...(await bag.values())].map((v) => -v),
  );
  await assert.rejects(
    engine.bag(file, { model, array: "nothing" }),
    /no array "nothing".*features \(1, 30, 96\)/,
  );
  engine.close();
});

test("the zoo", async (t) => {
  const zoo = path.join(testdata, "models/zoo");
  const engine = await load();
  let outputs = 0;
  for (const name of readdirSync(zoo)) {
    await t.test(name, async () => {
      const files = readdirSync(path.join(zoo, name));
      const model = await engine.open(readFileSync(path.join(zoo, name, "model.onnx")));
      for (const file of files.filter((f) => f.startsWith("bag_"))) {
        const size = file.slice("bag_".length);
        const bag = await engine.bag(readFileSync(path.join(zoo, name, file)), {
          name: file,
          model,
        });
        const { outputs: got } = await model.predict(bag);
        for (const output of got) {
          const want = readNpy(path.join(zoo, name, `${output.name}_${size}`));
          const scale = Math.max(...want.map(Math.abs), 1e-30);
          assert.ok(furthest(output.data, want) <= tolerance * scale, `${output.name} of ${file}`);
          outputs++;
        }
        bag.close();
      }
      model.close();
    });
  }
  engine.close();
  assert.ok(outputs >= 13 * 4, `only ${outputs} outputs were compared`);
});
