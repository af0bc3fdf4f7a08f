/**
 * bagscope for browsers with its worker inside: for a single file, or a bundler that does not carry workers along. The
 * page's policy has to allow `worker-src blob:`.
 */

import { startEngine } from "./browser.js";
import type { Engine, LoadOptions } from "./types.js";

export { cellAt, type Direction, neighbour, places } from "./cells.js";
export { BagscopeError } from "./error.js";
export { bagFormats } from "./formats.js";
export { defaultMethod, methodTitles, settingsTitles } from "./methods.js";
export { methodOptions } from "./options.js";
export type * from "./types.js";

/** The text of worker.js, which the build puts here. */
declare const WORKER_SOURCE: string;

/** Starts an engine as `load` of "bagscope" does. Its wasm file is given, as `wasm` or `wasmURL`, or lies beside this module. */
export async function load(options: LoadOptions = {}): Promise<Engine> {
  return startEngine(options, {
    program: () => fetch(options.wasmURL ?? new URL("./bagscope.wasm", import.meta.url)),
    beside: import.meta.url,
    worker() {
      if (options.workerURL) return new Worker(options.workerURL, { type: "module", name: "bagscope" });
      const url = URL.createObjectURL(new Blob([WORKER_SOURCE], { type: "text/javascript" }));
      const worker = new Worker(url, { name: "bagscope" });
      worker.addEventListener("message", () => URL.revokeObjectURL(url), { once: true });
      return worker;
    },
  });
}
