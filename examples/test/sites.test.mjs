// Documentation sites: VitePress, MkDocs and Hugo, each with an explained bag in a page of Markdown.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { before, describe, test } from "node:test";
import { examples, install } from "./package.mjs";
import { explained, needsBrowser, visit } from "./visit.mjs";

/** A program from PyPI, which make puts here where there is a Python. */
const program = (name) => path.join(examples, ".venv/bin", name);
const needs = (name) =>
  existsSync(program(name))
    ? {}
    : { skip: `${name} is not installed: make examples installs it where there is Python` };

const output = () => mkdtempSync(path.join(os.tmpdir(), "bagscope-docs-"));

async function works(site) {
  const { seen, wrong } = await visit(site, explained);
  assert.deepEqual(wrong, []);
  assert.equal(seen.length, 4);
}

describe("documentation sites", needsBrowser, () => {
  before(install);

  test("VitePress", async () => {
    const site = output();
    const vitepress = path.join(examples, "node_modules/vitepress/bin/vitepress.js");
    const args = [vitepress, "build", "docs", "--outDir", site];
    execFileSync(process.execPath, args, { cwd: path.join(examples, "vitepress"), stdio: "pipe" });
    await works(site);
  });

  test("MkDocs", needs("mkdocs"), async () => {
    const site = output();
    const args = ["build", "--quiet", "--strict", "--site-dir", site];
    execFileSync(program("mkdocs"), args, { cwd: path.join(examples, "mkdocs"), stdio: "pipe" });
    await works(site);
  });

  test("Hugo", needs("hugo"), async () => {
    const site = output();
    const args = ["build", "--quiet", "--panicOnWarning", "--destination", site, "--noBuildLock"];
    execFileSync(program("hugo"), args, { cwd: path.join(examples, "hugo"), stdio: "pipe" });
    await works(site);
  });
});
