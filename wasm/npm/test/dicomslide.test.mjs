// A whole slide of DICOM in several files.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { load } from "../dist/node.js";
import { root } from "./support.mjs";

const folder = path.join(root, "core/slide/testdata");
const file = (name) => ({ name, data: readFileSync(path.join(folder, "dicom", name)) });

let engine;
before(async () => (engine = await load()));
after(() => engine.close());

test("the files of a slide, in any order, have the pixels of the same slide in TIFF", async () => {
  const slide = await engine.slide(["label.dcm", "1.dcm", "0.dcm"].map(file));
  const { format, levels, micronsX } = slide;
  assert.deepEqual(
    { format, micronsX, levels: levels.length },
    { format: "DICOM", micronsX: 0.5, levels: 2 },
  );
  const data = readFileSync(path.join(folder, "none_big_endian.tif"));
  const other = await engine.slide(new Blob([data]), { name: "slide.tif" });
  const [one, two] = await Promise.all(
    [slide, other].map((s) => s.region(0, 0, 0, s.levels[0].width, s.levels[0].height)),
  );
  assert.deepEqual(one.rgba, two.rgba);
  slide.close();
  other.close();
  const part = await engine.slide([file("1.dcm")]);
  assert.equal(part.levels.length, 1);
  part.close();
});
