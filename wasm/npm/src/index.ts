/**
 * bagscope for browsers: `load()` starts the engine in a Web Worker. All files are found beside this module, so that
 * any static host will do.
 */

import { type Channel, type ChannelEvents, handedOver, hear, type Starter, type WorkerStart } from "./channel.js";
import { OpenEngine } from "./engine.js";
import { startInline } from "./inline.js";
import type { Engine, LoadOptions } from "./types.js";

export { BagscopeError } from "./error.js";
export type * from "./types.js";

/** Starts an engine. Several engines are independent of each other, each in a worker of its own. */
export async function load(options: LoadOptions = {}): Promise<Engine> {
  const module = compile(options.wasmURL ?? new URL("./bagscope.wasm", import.meta.url));
  const inline = options.worker === false;
  const start: Starter = async (events) => (inline ? startInline(await module, events) : startWorker(module, events));
  const workers = inline ? 1 : (options.workers ?? "auto");
  const { onWorkerLost } = options;
  return OpenEngine.start(start, { workers, cores: navigator.hardwareConcurrency || 1, early: true, onWorkerLost });
}

async function compile(url: string | URL): Promise<WebAssembly.Module> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} cannot be loaded: ${response.status} ${response.statusText}`);
  // Hosts that do not know the type of .wasm files cannot have them compiled on the way.
  if (response.headers.get("Content-Type")?.startsWith("application/wasm"))
    return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}

/** Starts a worker, which loads its script while the program is compiled. The program begins with the first message. */
async function startWorker(module: Promise<WebAssembly.Module>, events: ChannelEvents): Promise<Channel> {
  const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module", name: "bagscope" });
  let lost: string | undefined;
  let onExit = (reason: string): void => void (lost ??= reason);
  let settle = () => {};
  const loaded = new Promise<void>((resolve) => (settle = resolve));
  worker.onmessage = ({ data }) => ("loaded" in data ? settle() : hear(data, events));
  worker.onerror = (event) => {
    event.preventDefault();
    settle();
    onExit(`the engine's worker failed: ${event.message || "its script could not be loaded"}`);
  };
  let start: WorkerStart | null;
  try {
    start = { module: await module };
  } catch (cause) {
    worker.terminate();
    throw cause;
  }
  onExit = (reason) => events.onExit(reason);
  // Nothing was asked of it yet: whoever asks first is to hear of it.
  if (lost !== undefined) setTimeout(onExit, 0, lost);
  return {
    send(message) {
      if (start) worker.postMessage(start);
      start = null;
      worker.postMessage(message, handedOver(message));
    },
    close: () => worker.terminate(),
    loaded,
  };
}
