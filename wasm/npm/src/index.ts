/**
 * bagscope for browsers: `load()` starts the engine in a Web Worker. All files are beside this
 * module, so that any static host can serve them.
 */

import { startEngine } from "./browser.js";
import type { Engine, LoadOptions } from "./types.js";

export * from "./common.js";

/** Starts an engine. Engines are independent of each other; each has its own worker. */
export async function load(options: LoadOptions = {}): Promise<Engine> {
  const { workerURL } = options;
  return startEngine(options, {
    program: () => fetch(options.wasmURL ?? new URL("./bagscope.wasm", import.meta.url)),
    beside: import.meta.url,
    // Bundlers find the worker's file only by this exact expression.
    worker: () =>
      workerURL
        ? new Worker(workerURL, { type: "module", name: "bagscope" })
        : new Worker(new URL("./worker.js", import.meta.url), { type: "module", name: "bagscope" }),
  });
}
