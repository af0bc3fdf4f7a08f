// Native and wasm: the same coalitions for a seed, and nearly the same scores, for every method.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { load } from "../dist/node.js";
import { differs, expected, explainOptions, parity, root } from "./support.mjs";

/** Explains every case and compares; `dir` is where models and bags lie. */
async function compare(dir, answers) {
  const engine = await load();
  const open = new Map();
  try {
    for (const answer of answers) {
      const key = [answer.model, answer.bag, answer.index].join();
      if (!open.has(key)) {
        const model = await engine.open(readFileSync(path.join(dir, answer.model)));
        const bag = await engine.bag(readFileSync(path.join(dir, answer.bag)), {
          name: answer.bag,
          index: answer.index,
        });
        open.set(key, { model, bag });
      }
      const { model, bag } = open.get(key);
      const report = await model.explain(bag, explainOptions(answer.request));
      assert.equal(differs(report, answer), "", `${key}: ${JSON.stringify(answer.request)}`);
    }
  } finally {
    engine.close();
  }
}

test("the committed answers", async () => {
  assert.ok(expected.length >= 20);
  await compare(parity, expected);
});

test("trained networks", async () => {
  const dir = mkdtempSync(path.join(os.tmpdir(), "bagscope-"));
  try {
    const file = path.join(dir, "native.json");
    execFileSync(
      "go",
      ["test", "./wasm/parity", "-count=1", "-run", "^TestNetworks$", "-args", `-networks=${file}`],
      {
        cwd: root,
        stdio: "pipe",
      },
    );
    await compare(root, JSON.parse(readFileSync(file, "utf8")));
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test("a difference is seen", () => {
  const report = (answer) => ({ ...answer, coalitions: [], skipped: [] });
  const answer = {
    ...expected[0],
    skipped: [],
    coalitions: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  };
  assert.equal(differs(report(answer), answer), "");
  const moved = structuredClone(answer);
  moved.explanations[0].scores[0] += 1e-4;
  assert.match(differs(report(moved), answer), /off by/);
  assert.equal(differs({ ...report(answer), coalitions: ["1"] }, answer), "other coalitions");
});
