// The package through Vite, webpack and esbuild, each with the configuration that stands in bundlers/.
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, rmSync, writeFileSync, readFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { before, describe, test } from "node:test";
import { build as esbuild } from "esbuild";
import { build as vite } from "vite";
import webpack from "webpack";
import esbuildConfig from "../bundlers/esbuild.config.js";
import viteConfig from "../bundlers/vite.config.js";
import webpackConfig from "../bundlers/webpack.config.js";
import { examples, install } from "./package.mjs";
import { needsBrowser, visit } from "./visit.mjs";

const source = path.join(examples, "bundlers");

/** A folder for what a bundler writes, with the digits and, where it writes none, the page. */
function output(page) {
  const folder = mkdtempSync(path.join(os.tmpdir(), "bagscope-bundle-"));
  cpSync(path.join(examples, "digits"), path.join(folder, "digits"), { recursive: true });
  if (page) {
    const html = readFileSync(path.join(source, "index.html"), "utf8");
    writeFileSync(path.join(folder, "index.html"), html.replace("./src/app.js", "app.js"));
  }
  return folder;
}

/** The page has explained its bag of 29 digits for four classes. */
async function works(site) {
  const { seen, wrong } = await visit(site, async (page) => {
    await page.locator("body[data-done]").waitFor();
    return page.locator("body").innerText();
  });
  assert.deepEqual(wrong, []);
  assert.equal(seen, "29 29 29 29");
}

describe("bundlers", needsBrowser, () => {
  before(install);

  test("Vite builds it", async () => {
    const outDir = output(false);
    const build = { ...viteConfig.build, outDir, emptyOutDir: false };
    await vite({ ...viteConfig, configFile: false, root: source, logLevel: "warn", build });
    await works(outDir);
  });

  test("webpack builds it", async () => {
    const folder = output(true);
    const performance = { hints: false }; // the wasm file is large
    const config = { ...webpackConfig, performance, output: { ...webpackConfig.output, path: folder } };
    const stats = await new Promise((resolve, reject) =>
      webpack(config, (error, stats) => (error ? reject(error) : resolve(stats))),
    );
    const { errors, warnings } = stats.toJson({ all: false, errors: true, warnings: true });
    assert.deepEqual([errors, warnings], [[], []]);
    await works(folder);
  });

  test("esbuild builds it", async () => {
    const outdir = output(true);
    await esbuild({ ...esbuildConfig, outdir, logLevel: "error" });
    await works(outdir);
  });
});
