/**
 * bagscope for browsers with its worker inside, for pages in a single file and bundlers that do not
 * support workers. The page's Content-Security-Policy must allow `worker-src blob:`.
 */

import { startEngine, workerAt, workerOf } from "./browser.js";
import type { Engine, LoadOptions } from "./types.js";

export * from "./common.js";

/** The text of worker.js, which the build inserts. */
declare const WORKER_SOURCE: string;

/**
 * Starts an engine like `load` of "bagscope". Its wasm file is `wasm`, `wasmURL`, or the file
 * beside this module.
 */
export async function load(options: LoadOptions = {}): Promise<Engine> {
  return startEngine(options, {
    program: () => new URL("./bagscope.wasm", import.meta.url),
    codec: () => new URL("./codec.wasm", import.meta.url),
    worker: () => (options.workerURL ? workerAt(options.workerURL) : workerOf(WORKER_SOURCE)),
  });
}
