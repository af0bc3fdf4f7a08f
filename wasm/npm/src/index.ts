/**
 * bagscope for browsers: `load()` starts the engine in a Web Worker. All files are found beside this module, so that
 * any static host will do.
 */

import { type Channel, type ChannelEvents, handedOver, hear, type WorkerStart } from "./channel.js";
import { OpenEngine } from "./engine.js";
import { startInline } from "./inline.js";
import type { Engine, LoadOptions } from "./types.js";

export { BagscopeError } from "./error.js";
export type * from "./types.js";

/** Starts an engine. Several engines are independent of each other, each in a worker of its own. */
export async function load(options: LoadOptions = {}): Promise<Engine> {
  const module = await compile(options.wasmURL ?? new URL("./bagscope.wasm", import.meta.url));
  const inline = options.worker === false;
  const start = inline ? startInline : startWorker;
  const workers = inline ? 1 : (options.workers ?? "auto");
  const { onWorkerLost } = options;
  return OpenEngine.start(async (events) => start(module, events), {
    workers,
    cores: navigator.hardwareConcurrency || 1,
    early: true,
    onWorkerLost,
  });
}

async function compile(url: string | URL): Promise<WebAssembly.Module> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} cannot be loaded: ${response.status} ${response.statusText}`);
  // Hosts that do not know the type of .wasm files cannot have them compiled on the way.
  if (response.headers.get("Content-Type")?.startsWith("application/wasm"))
    return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}

/** Starts a worker, whose program begins with the first message. */
function startWorker(module: WebAssembly.Module, events: ChannelEvents): Channel {
  const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module", name: "bagscope" });
  let begun = false;
  let settle = () => {};
  const loaded = new Promise<void>((resolve) => (settle = resolve));
  worker.onmessage = ({ data }) => ("loaded" in data ? settle() : hear(data, events));
  worker.onerror = (event) => {
    event.preventDefault();
    settle();
    events.onExit(`the engine's worker failed: ${event.message || "its script could not be loaded"}`);
  };
  return {
    send(message) {
      if (!begun) worker.postMessage({ module } satisfies WorkerStart);
      begun = true;
      worker.postMessage(message, handedOver(message));
    },
    close: () => worker.terminate(),
    loaded,
  };
}
