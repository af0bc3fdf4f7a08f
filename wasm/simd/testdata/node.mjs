// node node.mjs wasm_exec.js program.wasm good|spoiled [arguments]

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import * as fs from "node:fs";

const [support, program, modules, ...args] = process.argv.slice(2);
globalThis.fs = fs;
createRequire(import.meta.url)(support);
const { run } = await import("./run.mjs");
const { level, code } = await run(readFileSync(program), args, modules === "spoiled");
console.log(`level: ${level}`);
process.exit(code);
