// node node.mjs wasm_exec.js program.wasm good|spoiled [arguments]

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import * as fs from "node:fs";

const [support, program, modules, ...args] = process.argv.slice(2);
// Of the environment, for which Go's support has 12 KB, only what the tests ask for.
const { BAGSCOPE_SHARED } = process.env;
const env = BAGSCOPE_SHARED ? { BAGSCOPE_SHARED } : {};
globalThis.fs = fs;
createRequire(import.meta.url)(support);
const { run } = await import("./run.mjs");
const { level, code } = await run(readFileSync(program), args, modules === "spoiled", env);
console.log(`level: ${level}`);
process.exit(code);
