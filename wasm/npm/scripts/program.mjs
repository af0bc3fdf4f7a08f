// Builds the wasm programs with Go.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { shrink } from "./shrink.mjs";

export const here = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
export const root = path.resolve(here, "../..");
export const dist = path.join(here, "dist");
export const version = (await readFile(path.join(root, "version.txt"), "utf8")).trim();

const env = { ...process.env, GOOS: "js", GOARCH: "wasm" };

/**
 * The packages with the loops that a user waits for. In all others small functions stay functions of their
 * own, which makes the file 3 % smaller: the operators, of which the kernels do the work, are 2 % of that and as fast either way.
 */
const inlined = ["core", "onnxbackend/kernel/...", "onnxbackend/internal/machine"].map(
  (name) => `github.com/bagscope/bagscope/${name}`,
);
inlined.push("runtime", "internal/runtime/...", "internal/bytealg", "internal/chacha8rand", "math", "math/bits");
inlined.push("math/rand/v2", "slices", "cmp", "compress/flate", "hash/crc32");

/** Builds a program into dist, with tags beside those that every program has. */
export async function buildProgram(name, ...tags) {
  const file = path.join(dist, name);
  const inlining = ["-gcflags=all=-l", ...inlined.map((name) => `-gcflags=${name}=`)];
  const tagged = `-tags=${["bagscope_simd", ...tags].join()}`;
  // Go's own build ID hashes sources that are not in the program too, and where it differs the same program packs up to 400 bytes larger.
  const flags = [
    tagged,
    "-trimpath",
    ...inlining,
    `-ldflags=-w -buildid=bagscope -X main.version=${version}`,
    "-o",
    file,
  ];
  await rm(file, { force: true }); // Go would take its own file, rewritten, for one that needs no building
  execFileSync("go", ["build", ...flags, "./wasm"], { cwd: root, env, stdio: "inherit" });
  await writeFile(file, shrink(await readFile(file), ours));
  await chmod(file, 0o644); // Go marks it as a program, which it is for no system
}

/** Whether a function is the project's own: those are what the stack of an internal error shows. */
function ours(name) {
  return name.startsWith("main.") || name.startsWith("github.com/bagscope/");
}

/** The licence of every module that is linked into a program, as their conditions ask. */
export async function licences(name, ...tags) {
  const format = "{{with .Module}}{{.Path}}\t{{.Dir}}{{end}}";
  const args = ["list", "-deps", `-tags=${tags.join()}`, "-f", format, "./wasm"];
  const list = execFileSync("go", args, { cwd: root, env, encoding: "utf8" });
  const goroot = execFileSync("go", ["env", "GOROOT"], { cwd: root, encoding: "utf8" }).trim();
  const modules = new Map(
    list
      .split("\n")
      .filter(Boolean)
      .map((line) => line.split("\t")),
  );
  modules.set("Go", goroot);
  const texts = [];
  for (const [module, dir] of modules) {
    const file = path.join(dir, "LICENSE");
    if (existsSync(file))
      texts.push(`${module}\n${"=".repeat(module.length)}\n\n${(await readFile(file, "utf8")).trim()}\n`);
    else console.warn(`${module} has no file LICENSE`);
  }
  await writeFile(path.join(dist, name), texts.join("\n\n"));
}
