// The script for Node, and the package's parts imported where there is no document.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import path from "node:path";
import { before, test } from "node:test";
import { examples, install } from "./package.mjs";

before(install);
const node = (...args) => spawnSync(process.execPath, args, { cwd: examples, encoding: "utf8" });

test("explains every bag of a file", () => {
  const { stdout, stderr, status } = node("node/explain.mjs", "digits/model.onnx", "digits/bags.npz");
  assert.equal(stderr, "");
  assert.equal(status, 0);
  const lines = stdout.trim().split("\n");
  assert.equal(lines.length, 6);
  assert.match(lines[0], /^bag 0: two 8s and two 9s → an 8 and a 9 \d+\.\d %: \d+ \(0\.\d\d\), /);
});

test("says what is wrong", () => {
  const { stderr, status } = node("node/explain.mjs", "digits/bags.npz", "digits/bags.npz");
  assert.equal(status, 1);
  assert.match(stderr, /model/);
});

test("the element can be imported by a program that renders pages", () => {
  const { stderr, status } = node("--input-type=module", "-e", 'await import("bagscope/element")');
  assert.equal(stderr, "");
  assert.equal(status, 0);
});

test("types are found by TypeScript", () => {
  const tsc = path.join(examples, "../wasm/npm/node_modules/typescript/bin/tsc");
  const flags = ["--noEmit", "--strict", "--target", "es2022", "--module", "nodenext", "--lib", "es2023,dom"];
  execFileSync(process.execPath, [tsc, ...flags, "test/consumer.ts"], { cwd: examples, stdio: "pipe" });
});
