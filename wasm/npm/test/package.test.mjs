// What `npm publish` puts into the package.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, test } from "node:test";
import { npm, root } from "./support.mjs";

const pack = ["pack", "--dry-run", "--json", "--ignore-scripts", "--offline"];
const [{ files }] = JSON.parse(execFileSync("npm", pack, { cwd: npm, encoding: "utf8" }));
const packed = files.map((file) => file.path);
const { bin, exports, types } = JSON.parse(readFileSync(path.join(npm, "package.json"), "utf8"));

/** The paths in a value of package.json, without "./". */
const paths = (value) =>
  typeof value === "string"
    ? [path.normalize(value)]
    : Object.values(value).flatMap((part) => paths(part));

describe("the packed files", () => {
  test("have the licence at their root, and the licences of what is bundled", () => {
    assert.ok(packed.includes("LICENSE"), packed.join(" "));
    assert.ok(packed.includes("dist/LICENSES.txt"), packed.join(" "));
    const text = (folder) => readFileSync(path.join(folder, "LICENSE"), "utf8");
    assert.equal(text(npm), text(root));
  });

  test("have the read-me and everything that package.json names", () => {
    // `npm run build:gpu` adds the program for graphics processors.
    const named = paths([bin, exports, types]).filter((name) => !name.endsWith("-gpu.wasm"));
    assert.ok(named.length > 10);
    for (const name of ["README.md", ...named]) assert.ok(packed.includes(name), name);
  });
});
