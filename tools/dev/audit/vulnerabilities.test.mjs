// Compares the packages of every lock file with npm's database of vulnerabilities. Where the
// registry has no such database, the comparison skips with the reason, which testdata/skips.txt
// lists.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import path from "node:path";
import test from "node:test";
import { audit, folders, root, verdict } from "./vulnerabilities.mjs";

const counted = (total, dependencies = 300) =>
  JSON.stringify({
    metadata: { vulnerabilities: { total }, dependencies: { total: dependencies } },
  });

test("a report with counts is a result", () => {
  assert.deepEqual(verdict(0, counted(0)), { count: 0, packages: 300 });
  assert.deepEqual(verdict(1, counted(3)), { count: 3, packages: 300 });
});

test("a registry without a database is not zero vulnerabilities", () => {
  const refused = '{"message":"405 Method Not Allowed","statusCode":405,"error":{"summary":""}}';
  assert.match(verdict(1, refused).unreachable, /405/);
  for (const text of ["", '{"error":{"code":"ENOTFOUND","summary":""}}', '{"error":{}}'])
    assert.ok(verdict(1, text).unreachable, text);
});

test("a report without counts is an error", () => {
  for (const text of ["{}", counted(0, 0), '{"metadata":{"vulnerabilities":{}}}'])
    assert.throws(() => verdict(0, text), /without counts/, text);
});

for (const folder of folders)
  test(`no known vulnerability: ${path.basename(folder)}`, (t) => {
    assert.ok(existsSync(path.join(root, folder, "package-lock.json")));
    const { unreachable, count, packages } = audit(folder);
    if (unreachable) return t.skip(`npm's database cannot be reached: ${unreachable}`);
    assert.equal(count, 0, `${count} known vulnerabilities; npm audit in ${folder} names them`);
    t.diagnostic(`${packages} packages`);
  });
