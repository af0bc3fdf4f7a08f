// Compares the packages of every lock file with npm's database of vulnerabilities, and the Python
// packages with PyPI's. Where the registry has no such database, the comparison skips with the reason,
// which testdata/skips.txt lists.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import path from "node:path";
import test from "node:test";
import {
  audit,
  auditPython,
  excepted,
  folders,
  left,
  pinned,
  released,
  root,
  verdict,
} from "./vulnerabilities.mjs";

const counted = (total, dependencies = 300, vulnerabilities = undefined) =>
  JSON.stringify({
    vulnerabilities,
    metadata: { vulnerabilities: { total }, dependencies: { total: dependencies } },
  });

test("a report with counts is a result", () => {
  assert.deepEqual(verdict(0, counted(0)), { ids: [], packages: 300 });
  const url = "https://github.com/advisories/GHSA-gh27-4p5m-2h8x";
  const via = [{ url }, "vite"];
  assert.deepEqual(verdict(1, counted(2, 300, { vite: { via }, vitest: { via: ["vite"] } })), {
    ids: ["GHSA-gh27-4p5m-2h8x"],
    packages: 300,
  });
});

test("a registry without a database is not zero vulnerabilities", () => {
  const refused = '{"message":"405 Method Not Allowed","statusCode":405,"error":{"summary":""}}';
  assert.match(verdict(1, refused).unreachable, /405/);
  for (const text of ["", '{"error":{"code":"ENOTFOUND","summary":""}}', '{"error":{}}'])
    assert.ok(verdict(1, text).unreachable, text);
  for (const [status, text] of [[404, ""], [404, "{}"], [200, "{}"], [503, '{"vulnerabilities":[]}']])
    assert.match(released(status, text).unreachable, new RegExp(status));
});

test("a report without counts or names is an error", () => {
  for (const text of ["{}", counted(0, 0), '{"metadata":{"vulnerabilities":{}}}'])
    assert.throws(() => verdict(0, text), /without counts/, text);
  assert.throws(() => verdict(1, counted(3)), /without their names/);
});

test("a withdrawn report of PyPI is none", () => {
  const vulnerabilities = [{ id: "PYSEC-1", withdrawn: null }, { id: "PYSEC-2", withdrawn: "2026" }];
  assert.deepEqual(released(200, JSON.stringify({ vulnerabilities })), { ids: ["PYSEC-1"] });
});

test("an exception holds until its day has passed", () => {
  const text = "# until | id | reason\n\n2026-11-27 | GHSA-1 | why\n2026-11-26 | GHSA-2 | why\n";
  assert.deepEqual(excepted(text, "2026-11-27"), new Set(["GHSA-1"]));
});

for (const folder of folders)
  test(`no known vulnerability: ${path.basename(folder)}`, (t) => {
    assert.ok(existsSync(path.join(root, folder, "package-lock.json")));
    const { unreachable, ids, packages } = audit(folder);
    if (unreachable) return t.skip(`npm's database cannot be reached: ${unreachable}`);
    assert.deepEqual(left(ids), [], `npm audit in ${folder} says more`);
    t.diagnostic(`${packages} packages`);
  });

test("no known vulnerability: Python", async (t) => {
  const packages = pinned();
  assert.ok(packages.length > 100, `${packages.length} packages`);
  const { unreachable, found } = await auditPython(packages);
  if (unreachable) return t.skip(`PyPI's database cannot be reached: ${unreachable}`);
  assert.deepEqual(found, []);
  t.diagnostic(`${packages.length} packages`);
});
