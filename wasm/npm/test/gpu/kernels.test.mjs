// The Go tests of the kernels, built for browsers, in Chromium on SwiftShader: those that need no
// file but the ONNX node tests.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { host, needsBrowser, openBrowser } from "../browser.mjs";
import { root, testdata } from "../support.mjs";
import { flags } from "./flags.mjs";

test("kernels give what the CPU gives, and so do the ONNX node tests", needsBrowser, async (t) => {
  const nodeTests = readdirSync(path.join(testdata, "fetched")).find((name) =>
    name.startsWith("onnx-"),
  );
  assert.ok(nodeTests, "make testdata fetches the ONNX node tests");
  const build = path.join(root, "build");
  mkdirSync(build, { recursive: true });
  const goroot = execFileSync("go", ["env", "GOROOT"], { cwd: root, encoding: "utf8" }).trim();
  copyFileSync(path.join(goroot, "lib/wasm/wasm_exec.js"), path.join(build, "wasm_exec.js"));
  const env = { ...process.env, GOOS: "js", GOARCH: "wasm" };
  const args = [
    "test",
    "-c",
    "-tags",
    "gpu",
    "-ldflags=-w",
    "-o",
    path.join(build, "gpu.test.wasm"),
    "./onnxbackend/gpu",
  ];
  execFileSync("go", args, { cwd: root, env });
  const server = await host();
  const browser = await openBrowser(flags);
  try {
    const page = await browser.newPage();
    const lines = [];
    page.on("console", (message) => lines.push(message.text()));
    await page.goto(`${server.url}wasm/npm/test/gpu/go.html`);
    const code = await page.evaluate(async (nodeTests) => {
      const go = new window.Go();
      go.argv = [
        "gpu.test",
        "-test.v",
        "-test.run",
        "^(TestConformance|TestKernels|TestViews|TestCrossings|TestNonFinite|TestPool|TestGram|TestCoalitions|TestSelection|TestSplit|TestPlaces|TestProducts|TestTiles|TestConvolutions|TestRows|TestAttention|TestScores|TestEmpty)$",
      ];
      go.env = { NODE_TESTS: `${location.origin}/testdata/fetched/${nodeTests}` };
      let exit;
      go.exit = (code) => (exit = code);
      const { instance } = await WebAssembly.instantiateStreaming(
        fetch("/build/gpu.test.wasm"),
        go.importObject,
      );
      window.wasm = { instance };
      await go.run(instance);
      return exit ?? 0;
    }, nodeTests);
    const said = lines.join("\n");
    for (const line of lines) if (line.startsWith("--- ")) t.diagnostic(line.split("\n")[0]);
    assert.equal(code, 0, said);
    assert.match(said, /--- PASS: TestConformance/);
    assert.match(said, /\d{3,} runs with nodes on WebGPU adapter/);
    assert.match(said, /--- PASS: TestKernels/);
  } finally {
    await browser.close();
    server.close();
  }
});
