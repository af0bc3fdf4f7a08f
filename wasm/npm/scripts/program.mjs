// Builds the wasm programs with Go.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { joinSegments } from "./segments.mjs";

export const here = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
export const root = path.resolve(here, "../..");
export const dist = path.join(here, "dist");
export const version = (await readFile(path.join(root, "version.txt"), "utf8")).trim();

const env = { ...process.env, GOOS: "js", GOARCH: "wasm" };

/** Builds a program into dist, with additional build tags. */
export async function buildProgram(name, ...tags) {
  const file = path.join(dist, name);
  const tagged = `-tags=${["bagscope_simd", ...tags].join()}`;
  const flags = ["-trimpath", tagged, `-ldflags=-s -w -X main.version=${version}`, "-o", file];
  await rm(file, { force: true }); // go build keeps a file whose build ID is current, joined or not
  execFileSync("go", ["build", ...flags, "./wasm"], { cwd: root, env, stdio: "inherit" });
  await writeFile(file, joinSegments(await readFile(file)));
  await chmod(file, 0o644); // go build marks the file as executable
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
      texts.push(
        `${module}\n${"=".repeat(module.length)}\n\n${(await readFile(file, "utf8")).trim()}\n`,
      );
    else console.warn(`${module} has no file LICENSE`);
  }
  await writeFile(path.join(dist, name), texts.join("\n\n"));
}
