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
  const module = compile(options.wasmURL ?? new URL("./bagscope.wasm", import.meta.url));
  return OpenEngine.start(async (events) =>
    options.worker === false ? startInline(await module, events) : startWorker(module, events),
  );
}

async function compile(url: string | URL): Promise<WebAssembly.Module> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} cannot be loaded: ${response.status} ${response.statusText}`);
  // Hosts that do not know the type of .wasm files cannot have them compiled on the way.
  if (response.headers.get("Content-Type")?.startsWith("application/wasm"))
    return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}

/** Starts a worker, which loads its script while the program is compiled. */
async function startWorker(module: Promise<WebAssembly.Module>, events: ChannelEvents): Promise<Channel> {
  const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module", name: "bagscope" });
  let lost: string | undefined;
  let onExit = (reason: string): void => void (lost ??= reason);
  worker.onmessage = ({ data }) => hear(data, events);
  worker.onerror = (event) => {
    event.preventDefault();
    onExit(`the engine's worker failed: ${event.message || "its script could not be loaded"}`);
  };
  try {
    worker.postMessage({ module: await module } satisfies WorkerStart);
  } catch (cause) {
    worker.terminate();
    throw cause;
  }
  onExit = (reason) => events.onExit(reason);
  // Nothing was asked of it yet: whoever asks first is to hear of it.
  if (lost !== undefined) setTimeout(onExit, 0, lost);
  return {
    send: (message) => worker.postMessage(message, handedOver(message)),
    close: () => worker.terminate(),
  };
}
