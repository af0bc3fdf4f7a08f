// Runs a Go program with the fast loops linked, in a page or in Node. Its Go needs the globals that
// Go's own wasm_exec.js sets up.

import { plain } from "../modules.js";
import { link } from "../simd.js";
import { decode, wrong } from "./wrong.mjs";

/** Runs the program and returns the level it got and its exit code. spoil makes the modules invalid. */
export async function run(program, args, spoil, env = {}) {
  const go = new globalThis.Go();
  go.argv = ["program", ...args];
  go.env = env;
  let code = 0;
  go.exit = (c) => (code = c);
  const simd = link(go.importObject);
  const { instance } = await WebAssembly.instantiate(program, go.importObject);
  const level = spoil ? simd.attach(instance, spoiled) : simd.attach(instance);
  await go.run(instance);
  return { level, code };
}

/** What a host without SIMD sees: modules that are not valid; and one that computes wrongly. */
const spoiled = [
  { level: "fused", base64: "AGFzbQEAAAD/" },
  { level: "plain", base64: "not base64" },
  { level: "plain", base64: "AGFzbQEAAAA=" },
  { level: "plain", base64: btoa(String.fromCharCode(...wrong(decode(plain), 0))) },
];
