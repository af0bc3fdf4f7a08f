// Builds the wasm programs with Go.
import { execFileSync } from "node:child_process";
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

/** Writes the licences of everything that is linked into a program, as their conditions ask. */
export function licences(name, ...tags) {
  const platform = ["-os=js", "-arch=wasm", `-tags=${["bagscope_simd", ...tags].join()}`];
  const out = `-out=${path.join(dist, name)}`;
  const args = ["run", "./tools/dev/licences", ...platform, out, "./wasm"];
  execFileSync("go", args, { cwd: root, stdio: "inherit" });
}
