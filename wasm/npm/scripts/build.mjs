// Builds dist/: the wasm file with Go, the JavaScript with esbuild, the types with tsc.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { shrink } from "./shrink.mjs";

const here = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const root = path.resolve(here, "../..");
const dist = path.join(here, "dist");

const version = (await readFile(path.join(root, "version.txt"), "utf8")).trim();
/**
 * The packages with the loops that a user waits for. In all others small functions stay functions of their
 * own, which makes the file 3 % smaller: the operators, of which the kernels do the work, are 2 % of that and as fast either way.
 */
const inlined = ["core", "onnxbackend/kernel/...", "onnxbackend/internal/machine"].map(
  (name) => `github.com/bagscope/bagscope/${name}`,
);
inlined.push("runtime", "internal/runtime/...", "internal/bytealg", "internal/chacha8rand", "math", "math/bits");
inlined.push("math/rand/v2", "sort", "slices", "cmp", "compress/flate", "hash/crc32");

await mkdir(dist, { recursive: true });
await stampVersion();
await buildProgram();
await bundle();
await declarations();
await licences();

/** version.txt is the only version: the package repeats it. */
async function stampVersion() {
  for (const name of ["package.json", "package-lock.json"]) {
    const file = path.join(here, name);
    const text = await readFile(file, "utf8");
    const manifest = JSON.parse(text);
    manifest.version = version;
    if (manifest.packages) manifest.packages[""].version = version;
    const stamped = JSON.stringify(manifest, null, 2) + "\n";
    if (stamped !== text) await writeFile(file, stamped);
  }
}

async function buildProgram() {
  const file = path.join(dist, "bagscope.wasm");
  const inlining = ["-gcflags=all=-l", ...inlined.map((name) => `-gcflags=${name}=`)];
  const flags = ["-tags=bagscope_simd", "-trimpath", ...inlining, `-ldflags=-w -X main.version=${version}`, "-o", file];
  await rm(file, { force: true }); // Go would take its own file, rewritten, for one that needs no building
  execFileSync("go", ["build", ...flags, "./wasm"], {
    cwd: root,
    env: { ...process.env, GOOS: "js", GOARCH: "wasm" },
    stdio: "inherit",
  });
  await writeFile(file, shrink(await readFile(file), ours));
  await chmod(file, 0o644); // Go marks it as a program, which it is for no system
}

/** Whether a function is the project's own: those are what the stack of an internal error shows. */
function ours(name) {
  return name.startsWith("main.") || name.startsWith("github.com/bagscope/");
}

/** The file of Go's distribution that belongs to the Go that built the program. */
function wasmExec() {
  const goroot = execFileSync("go", ["env", "GOROOT"], { cwd: root, encoding: "utf8" }).trim();
  const file = path.join(goroot, "lib/wasm/wasm_exec.js");
  if (!existsSync(file)) throw new Error(`${file} is missing from this Go; install Go from go.dev/dl`);
  return file;
}

async function bundle() {
  const common = {
    absWorkingDir: here,
    outdir: dist,
    bundle: true,
    format: "esm",
    target: "es2022",
    charset: "utf8",
    alias: { wasm_exec: wasmExec() },
    banner: {
      js: "// bagscope, Apache-2.0. Contains wasm_exec.js of Go, copyright The Go Authors, under Go's BSD-style licence.",
    },
    logLevel: "warning",
  };
  for (const name of await readdir(dist)) if (name.startsWith("shared-")) await rm(path.join(dist, name));
  const browser = { ...common, platform: "browser" };
  // The element asks for index.js when it is seen; what both need is in a file of its own.
  const entries = ["src/index.ts", "src/element.ts"];
  await build({ ...browser, entryPoints: entries, splitting: true, chunkNames: "shared-[hash]" });
  await build({ ...browser, entryPoints: ["src/worker.ts"] });
  await build({ ...common, entryPoints: ["src/node.ts", "src/node-worker.ts"], platform: "node" });
  const worker = await build({
    ...browser,
    entryPoints: ["src/worker.ts"],
    format: "iife",
    minify: true,
    write: false,
  });
  const define = { WORKER_SOURCE: JSON.stringify(worker.outputFiles[0].text) };
  await build({ ...browser, define, entryPoints: ["src/embedded.ts"] });
  const page = { ...browser, define, format: "iife", minify: true, logOverride: { "empty-import-meta": "silent" } };
  await build({ ...page, entryPoints: ["src/page.ts"] });
}

/** Only what the public types need; the other modules are inside the bundles. */
async function declarations() {
  const out = await mkdtemp(path.join(dist, "types-"));
  const tsc = path.join(here, "node_modules/typescript/bin/tsc");
  execFileSync(process.execPath, [tsc, "--declaration", "--emitDeclarationOnly", "--outDir", out], {
    cwd: here,
    stdio: "inherit",
  });
  const element = ["bag-explainer", "sharing", "texts"].map((name) => `element/${name}`);
  await mkdir(path.join(dist, "element"), { recursive: true });
  for (const name of ["index", "embedded", "element", "cells", "error", "types", "methods", ...element])
    await copyFile(path.join(out, `${name}.d.ts`), path.join(dist, `${name}.d.ts`));
  await rm(out, { recursive: true });
}

/** The licence of every module that is linked into the wasm file, as their conditions ask. */
async function licences() {
  const list = execFileSync("go", ["list", "-deps", "-f", "{{with .Module}}{{.Path}}\t{{.Dir}}{{end}}", "./wasm"], {
    cwd: root,
    env: { ...process.env, GOOS: "js", GOARCH: "wasm" },
    encoding: "utf8",
  });
  const goroot = execFileSync("go", ["env", "GOROOT"], { cwd: root, encoding: "utf8" }).trim();
  const modules = new Map(
    list
      .split("\n")
      .filter(Boolean)
      .map((line) => line.split("\t")),
  );
  modules.set("Go", goroot);
  const texts = [];
  for (const [name, dir] of modules) {
    const file = path.join(dir, "LICENSE");
    if (existsSync(file))
      texts.push(`${name}\n${"=".repeat(name.length)}\n\n${(await readFile(file, "utf8")).trim()}\n`);
    else console.warn(`${name} has no file LICENSE`);
  }
  await writeFile(path.join(dist, "LICENSES.txt"), texts.join("\n\n"));
}
