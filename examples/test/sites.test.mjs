// Documentation sites: VitePress and Hugo, each with an explained bag in a page of Markdown.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { before, describe, test } from "node:test";
import { command } from "./command.mjs";
import { examples, install } from "./package.mjs";
import { explained, needsBrowser, visit } from "./visit.mjs";

/** A program from PyPI, which make puts here where there is a Python. */
const program = (name) => path.join(examples, ".venv/bin", name);
const needs = (name) =>
  existsSync(program(name))
    ? {}
    : { skip: `${name} is not installed: make examples installs it where there is Python` };

const output = () => mkdtempSync(path.join(os.tmpdir(), "bagscope-docs-"));

/** The picture of a page without JavaScript, on a phone: its words, its width there and its caption. */
async function storedPicture(page) {
  await page.setViewportSize({ width: 390, height: 800 });
  const img = page.locator("bag-explainer img");
  const alt = await img.getAttribute("alt");
  const { width } = await img.boundingBox();
  return { alt, width, caption: await page.locator("[slot=caption]").textContent() };
}

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

  test("Hugo, also without JavaScript", needs("hugo"), async () => {
    const site = output();
    const folder = path.join(examples, "hugo");
    const env = { ...process.env, BAGSCOPE: command() };
    execFileSync(path.join(folder, "explain.sh"), { env, stdio: "pipe" });
    const args = ["build", "--quiet", "--panicOnWarning", "--destination", site, "--noBuildLock"];
    execFileSync(program("hugo"), args, { cwd: folder, stdio: "pipe" });
    const page = { at: "stored/", keep: true };
    const stored = await visit(site, storedPicture, { ...page, javaScriptEnabled: false });
    const upgraded = await visit(site, explained, page);
    await works(site);
    assert.deepEqual([...stored.wrong, ...upgraded.wrong], []);
    // The words name the leading instance for "a 9", which the element computes again.
    assert.match(stored.seen.alt, /answer for a 9: probability/);
    assert.match(stored.seen.alt, new RegExp(`Support: digits? ${upgraded.seen[2] + 1} \\(`));
    assert.ok(stored.seen.width > 300 && stored.seen.width <= 390, `${stored.seen.width} pixels`);
    assert.match(stored.seen.caption, /A plus supports/);
  });
});
