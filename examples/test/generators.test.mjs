// Generators of static sites. Each builds the same two pages of Markdown, one of them below the top
// and with two elements, for a folder of a host.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { command } from "./command.mjs";
import { examples, install, installed } from "./package.mjs";
import { needsBrowser, visit } from "./visit.mjs";

const sites = path.join(examples, "sites");
const node = (name) => [process.execPath, path.join(sites, "node_modules", name)];
const python = (name) => [path.join(examples, ".venv/bin", name)];
const dark = (selector) => (page) =>
  page.evaluate((at) => document.querySelector(at).setAttribute("data-theme", "dark"), selector);

/**
 * Where a generator has its pages and files that it copies, its command, the folder that it writes,
 * and how its pages turn dark.
 */
const generators = {
  docusaurus: {
    ...{ pages: "docs", files: "static", program: node("@docusaurus/core/bin/docusaurus.mjs") },
    ...{ args: ["build"], out: "build", dark: dark("html") },
  },
  astro: {
    ...{ pages: "src/content/docs", files: "public", program: node("astro/astro.js") },
    ...{ args: ["build"], out: "dist", dark: dark("html") },
  },
  eleventy: {
    ...{ pages: "pages", files: "_site", program: node("@11ty/eleventy/cmd.cjs") },
    ...{ args: ["--input=pages", "--output=_site", "--quiet"], out: "_site" },
  },
  mkdocs: {
    ...{ pages: "docs", files: "docs", program: python("mkdocs") },
    ...{ args: ["build", "--quiet", "--strict", "--site-dir=site"], out: "site" },
  },
  sphinx: {
    ...{ pages: ".", files: "files", program: python("sphinx-build"), dark: dark("body") },
    ...{ args: ["--quiet", ".", "out"], out: "out" },
  },
  "jupyter-book": {
    ...{ pages: ".", files: "files", program: python("jupyter-book") },
    ...{ args: ["build", "--quiet", "."], out: "_build/html" },
    complains: /THEBE_JS_URL|theme mode/, // of itself
  },
};

const { BAGSCOPE_KEEP: keep } = process.env;
let picture;

/** Builds a site, and returns the folder of a host that has it in docs/v1. */
function built(name, { pages, files, program, args, out }) {
  const work = mkdtempSync(path.join(os.tmpdir(), `bagscope-${name}-`));
  cpSync(path.join(sites, name), work, { recursive: true });
  cpSync(path.join(sites, "pages"), path.join(work, pages), { recursive: true });
  if (program.length > 1) symlinkSync(path.join(sites, "node_modules"), path.join(work, "node_modules"));
  const put = (from, to) => cpSync(from, path.join(work, files, to), { recursive: true });
  put(path.join(installed, "dist"), "bagscope");
  put(path.join(examples, "digits"), "digits");
  put(picture, "digits");
  execFileSync(program[0], [...program.slice(1), ...args], { cwd: work, stdio: "pipe" });
  const host = mkdtempSync(path.join(os.tmpdir(), "bagscope-host-"));
  mkdirSync(path.join(host, "docs"));
  cpSync(path.join(work, out), path.join(host, "docs/v1"), { recursive: true });
  // Browsers ask each host for one, and Starlight's pages ask for another.
  for (const icon of ["favicon.ico", "docs/v1/favicon.svg"])
    writeFileSync(path.join(host, icon), "<svg xmlns='http://www.w3.org/2000/svg'/>");
  if (!keep) rmSync(work, { recursive: true });
  return host;
}

/** What a page shows without script: the picture and the caption of each element, inside of it. */
const stored = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll("bag-explainer")].map((element) => [
      element.querySelector("img").naturalWidth > 0,
      element.querySelector("[slot=caption]").textContent,
    ]),
  );

/** Waits until all elements have explained their bags, and returns how many there are. */
async function explained(page) {
  const elements = await page.locator("bag-explainer").all();
  for (const element of elements) {
    await element.scrollIntoViewIfNeeded();
    await element.locator("canvas").waitFor();
    await element.locator("[slot=caption]").waitFor(); // visible in its slot
  }
  return elements.length;
}

/** The darkness of the first element's paper. */
const paper = (page) =>
  page
    .locator("bag-explainer figure")
    .first()
    .evaluate((e) => getComputedStyle(e).backgroundColor);

describe("generators of sites", needsBrowser, () => {
  before(() => {
    install();
    picture = mkdtempSync(path.join(os.tmpdir(), "bagscope-picture-"));
    const digits = path.join(examples, "digits");
    const about = ["--model", path.join(digits, "model.onnx"), "--bag", path.join(digits, "bags.npz")];
    execFileSync(command(), ["embed", ...about, "--index", "1", "--out", picture]);
  });
  after(() => rmSync(picture, { recursive: true, force: true }));

  for (const [name, generator] of Object.entries(generators)) {
    const missing = !existsSync(generator.program.at(-1));
    const skip = missing && `${name} is not installed: make examples installs it`;
    test(name, { skip }, async () => {
      const host = built(name, generator);
      const at = existsSync(path.join(host, "docs/v1/guide/two.html")) ? "guide/two.html" : "guide/two/";
      const top = await visit(host, explained, { at: "docs/v1/", keep: true });
      const below = await visit(host, explained, { at: `docs/v1/${at}`, keep: true });
      const wrong = [...top.wrong, ...below.wrong].filter((w) => !generator.complains?.test(w));
      assert.deepEqual([wrong, top.seen, below.seen], [[], 1, 2]);
      const without = { at: `docs/v1/${at}`, keep: true, javaScriptEnabled: false };
      const { seen } = await visit(host, stored, without);
      const captions = ["A bag with 9s.", "A bag with five 8s and a 9."];
      assert.deepEqual(
        seen,
        captions.map((caption) => [true, caption]),
      );
      const turn = async (page) => {
        await explained(page);
        const light = await paper(page);
        await generator.dark?.(page);
        return [light, await paper(page)];
      };
      const turned = await visit(host, turn, { at: "docs/v1/", keep, colorScheme: "light" });
      if (generator.dark) assert.notEqual(...turned.seen);
    });
  }
});
