// Builds dist/: the wasm file with Go, the JavaScript with esbuild, the types with tsc.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, readFile, readdir, rm, stat } from "node:fs/promises";
import path from "node:path";
import { build } from "esbuild";
import { optionNames } from "./options.mjs";
import { buildProgram, dist, here, licences, root } from "./program.mjs";

await mkdir(dist, { recursive: true });
await buildProgram("bagscope.wasm");
await copyFile(path.join(root, "core/codec/codec.wasm"), path.join(dist, "codec.wasm"));
await bundle();
await declarations();
licences("LICENSES.txt");
await copyFile(path.join(root, "LICENSE"), path.join(here, "LICENSE")); // npm packs it

/**
 * Finds wasm_exec in the Go distribution that built the program; versions must match. The module has
 * a name of its own, because a bundle names the files in it: their paths would differ by folder.
 */
function wasmExec() {
  const goroot = execFileSync("go", ["env", "GOROOT"], { cwd: root, encoding: "utf8" }).trim();
  const file = path.join(goroot, "lib/wasm/wasm_exec.js");
  if (!existsSync(file))
    throw new Error(`${file} is missing from this Go; install Go from go.dev/dl`);
  const setup = ({ onResolve, onLoad }) => {
    onResolve({ filter: /^wasm_exec$/ }, () => ({ path: "wasm_exec.js", namespace: "go" }));
    onLoad({ filter: /^wasm_exec\.js$/, namespace: "go" }, async () => ({
      contents: await readFile(file, "utf8"),
    }));
  };
  return { name: "wasm_exec", setup };
}

async function bundle() {
  const { size } = await stat(path.join(dist, "bagscope.wasm"));
  const common = {
    absWorkingDir: here,
    outdir: dist,
    bundle: true,
    packages: "external", // a package that is bundled would need its licence in LICENSES.txt
    format: "esm",
    target: "es2022",
    charset: "utf8",
    plugins: [wasmExec()],
    define: { OPTION_NAMES: JSON.stringify(optionNames()), PROGRAM_BYTES: String(size) },
    banner: {
      js:
        "// bagscope, Apache-2.0. Contains wasm_exec.js of Go, copyright The Go " +
        "Authors, under Go's BSD-style licence.",
    },
    logLevel: "warning",
  };
  for (const name of await readdir(dist))
    if (name.startsWith("shared-")) await rm(path.join(dist, name));
  const browser = { ...common, platform: "browser" };
  // The element loads index.js when it becomes visible; a separate file holds their common modules.
  const entries = ["index", "element", "openseadragon", "patches"].map((n) => `src/${n}.ts`);
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
  const define = {
    ...common.define,
    WORKER_SOURCE: JSON.stringify(worker.outputFiles[0].text),
  };
  await build({ ...browser, define, entryPoints: ["src/embedded.ts"] });
  const page = {
    ...browser,
    define,
    format: "iife",
    minify: true,
    logOverride: { "empty-import-meta": "silent" },
  };
  await build({ ...page, entryPoints: ["src/page.ts"] });
  await build({ ...page, format: "esm", entryPoints: ["src/widget.ts"] });
}

/** Keep only the types that the exported modules need; the other modules are inside the bundles. */
async function declarations() {
  const out = await mkdtemp(path.join(dist, "types-"));
  const tsc = path.join(here, "node_modules/typescript/bin/tsc");
  execFileSync(process.execPath, [tsc, "--declaration", "--emitDeclarationOnly", "--outDir", out], {
    cwd: here,
    stdio: "inherit",
  });
  const { exports } = JSON.parse(await readFile(path.join(here, "package.json"), "utf8"));
  const entries = Object.values(exports).flatMap(({ types }) => types ?? []);
  const files = new Set(entries.map((file) => path.basename(file)));
  // A set visits what is added while it is walked.
  for (const file of files) {
    const text = await readFile(path.join(out, file), "utf8");
    for (const [, module] of text.matchAll(/(?:from|import\()\s*"(\.[^"]+)\.js"/g))
      files.add(path.join(path.dirname(file), `${module}.d.ts`));
    await mkdir(path.dirname(path.join(dist, file)), { recursive: true });
    await copyFile(path.join(out, file), path.join(dist, file));
  }
  await rm(out, { recursive: true });
}
