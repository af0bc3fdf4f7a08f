// The command bagscope, for pages that are explained when they are built.
import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { examples } from "./package.mjs";

/** Builds the command, and returns its path. */
export function command() {
  const file = path.join(mkdtempSync(path.join(os.tmpdir(), "bagscope-command-")), "bagscope");
  execFileSync("go", ["build", "-o", file, "./tools/cmd/bagscope"], { cwd: path.join(examples, ".."), stdio: "pipe" });
  return file;
}
