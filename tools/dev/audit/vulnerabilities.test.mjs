import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import test from "node:test";
import { folders, verdict } from "./vulnerabilities.mjs";

const root = new URL("../../../", import.meta.url);
const counted = (total, dependencies = 300) =>
  JSON.stringify({ metadata: { vulnerabilities: { total }, dependencies: { total: dependencies } } });

test("a report with counts is a result", () => {
  assert.deepEqual(verdict(0, counted(0)), { count: 0, packages: 300 });
  assert.deepEqual(verdict(1, counted(3)), { count: 3, packages: 300 });
});

test("a database that cannot be reached is a failure and not zero", () => {
  const refused = '{"message":"405 Method Not Allowed","statusCode":405,"error":{"summary":""}}';
  assert.match(verdict(1, refused).failure, /405/);
  for (const [status, text] of [[0, ""], [0, "{}"], [1, '{"error":{"code":"ENOTFOUND","summary":"x"}}'],
    [0, counted(0, 0)], [0, '{"metadata":{"vulnerabilities":{}}}']])
    assert.ok(verdict(status, text).failure, text);
});

test("every folder has a lock file", () => {
  for (const folder of folders) assert.ok(existsSync(new URL(`${folder}/package-lock.json`, root)), folder);
});
