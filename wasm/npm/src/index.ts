/**
 * bagscope for browsers: `load()` starts the engine in a Web Worker. All files are beside this
 * module, so that any static host can serve them.
 */

import { startEngine, workerAt } from "./browser.js";
import type { Engine, LoadOptions } from "./types.js";

export * from "./common.js";

/** Starts an engine. Engines are independent of each other; each has its own worker. */
export async function load(options: LoadOptions = {}): Promise<Engine> {
  const { workerURL } = options;
  return startEngine(options, {
    program: () => new URL("./bagscope.wasm", import.meta.url),
    codec: () => new URL("./codec.wasm", import.meta.url),
    worker() {
      if (workerURL) return workerAt(workerURL);
      const here = new URL(import.meta.url);
      // webpack writes a file's URL here.
      if (here.protocol.startsWith("http") && here.origin !== globalThis.origin)
        return workerAt(new URL(workerFile, here));
      try {
        // Bundlers find the worker's file only by this exact expression.
        return new Worker(new URL("./worker.js", import.meta.url), {
          type: "module",
          name: "bagscope",
        });
      } catch {
        // A page that demands trusted types takes no address as it is.
        return workerAt(new URL(workerFile, here));
      }
    },
  });
}

/** Not a literal in the URL, because bundlers would add the file a second time. */
const workerFile = ["worker", "js"].join(".");
