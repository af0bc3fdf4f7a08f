// The programs of the README run.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { npm, parity, patience, root } from "./support.mjs";

const readme = await readFile(path.join(npm, "README.md"), "utf8");
const programs = [...readme.matchAll(/^## (.*)$|^```js\n([^]*?)^```$/gm)].reduce(
  (list, [, heading, code]) => {
    if (heading) list.heading = heading;
    else list.push({ heading: list.heading, code });
    return list;
  },
  [],
);

describe("README", () => {
  let dir;
  before(async () => {
    dir = await mkdtemp(path.join(os.tmpdir(), "bagscope-"));
    await mkdir(path.join(dir, "node_modules"));
    await symlink(npm, path.join(dir, "node_modules/bagscope"));
    await copyFile(path.join(parity, "tiny.onnx"), path.join(dir, "model.onnx"));
    await copyFile(path.join(parity, "tiny_parts.onnx"), path.join(dir, "parts.onnx"));
    await copyFile(
      path.join(parity, "tiny_parts.onnx.data"),
      path.join(dir, "tiny_parts.onnx.data"),
    );
    await copyFile(path.join(root, "core/slide/testdata/strips.svs"), path.join(dir, "slide.svs"));
    await copyFile(path.join(parity, "tiny.csv"), path.join(dir, "bag.csv"));
  });
  after(() => rm(dir, { recursive: true }));

  const says = {
    "In Node (20 or newer)": /instance \d+ supports two most; \d+ of \d+ scores are not evidence/,
    "Models in several files": /^\d+ parameters from tiny_parts\.onnx\.data$/m,
    "Progress and cancelling": /^cancelled half way$/m,
    Slides: /^150 x \d+ pixels, 4096 of them read\n\d+ patches of 16 pixels on tissue$/m,
    "Several workers": /^\d+ coalitions, by two workers$/m,
    "All methods, the paper's settings": /MILLI \(k \+ n evaluations\)[^]*milli R² 0\.\d+/,
    "Measure faithfulness":
      /milli, two: AOPC-R -?0\.\d+ ± 0\.\d+\nwithout half of the bag 0\.\d+, at random 0\.\d+/,
    "Measure the trust in an explanation":
      /milli, two: AOPC-R -?\d.*\ncorrelation of two seeds -?[01]\.\d+\. Removing /,
    "What-ifs":
      /\w+ by \d+ alone, smallest\n[^]*each other: -?\d+\.\d ± \d+\.\d log-odds\n[^]*without [\d,]+ the answer turns/,
  };

  assert.deepEqual(
    programs.map((p) => p.heading),
    Object.keys(says),
  );
  for (const { heading, code } of programs) {
    test(heading, async () => {
      const file = path.join(dir, "program.mjs");
      await writeFile(file, code);
      const { stdout } = await promisify(execFile)(process.execPath, [file], {
        cwd: dir,
        timeout: patience,
      });
      assert.match(stdout, says[heading]);
    });
  }
});
