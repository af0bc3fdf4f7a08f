/** The engine in a browser, wherever its program and its worker come from. */

import {
  type Channel,
  type ChannelEvents,
  type Device,
  handedOver,
  hear,
  type Starter,
  type WorkerStart,
} from "./channel.js";
import { wantedDevice } from "./device.js";
import { OpenEngine } from "./engine.js";
import { startInline } from "./inline.js";
import type { Engine, LoadOptions } from "./types.js";

/** Where the parts of the engine come from. */
export interface Parts {
  /** Fetches the wasm file, unless the caller has given it. */
  program(): Promise<Response>;
  /** Where the program for graphics processors lies, unless the caller says so. */
  beside: string;
  worker(): Worker;
}

export async function startEngine(options: LoadOptions, parts: Parts): Promise<Engine> {
  const device = await wantedDevice(options.device);
  const inline = options.worker === false;
  const workers = inline ? 1 : (options.workers ?? "auto");
  const starter =
    (module: Promise<WebAssembly.Module>, device?: Device): Starter =>
    async (events) =>
      inline ? startInline(await module, events, device) : startWorker(parts.worker(), module, events, device);
  // Helpers compute on the CPU: what a graphics processor encodes is not shared.
  const small = device && workers === 1 ? undefined : compile(options.wasm ?? parts.program());
  const helper = small && starter(small);
  const start = device
    ? starter(compile(fetch(options.gpuWasmURL ?? new URL(gpuFile, parts.beside))), device)
    : helper!;
  const { onWorkerLost } = options;
  const pool = { workers, cores: navigator.hardwareConcurrency || 1, early: true, onWorkerLost };
  return OpenEngine.start(start, pool, helper);
}

/** Put together here, so that bundlers do not look for a file that not every build of the package has. */
const gpuFile = ["bagscope-gpu", "wasm"].join(".");

async function compile(given: NonNullable<LoadOptions["wasm"]>): Promise<WebAssembly.Module> {
  const source = await given;
  if (source instanceof WebAssembly.Module) return source;
  if (!(source instanceof Response)) return WebAssembly.compile(source);
  if (!source.ok) throw new Error(`${source.url} cannot be loaded: ${source.status} ${source.statusText}`);
  // Hosts that do not know the type of .wasm files cannot have them compiled on the way.
  if (source.headers.get("Content-Type")?.startsWith("application/wasm")) return WebAssembly.compileStreaming(source);
  return WebAssembly.compile(await source.arrayBuffer());
}

/** Starts a worker, which loads its script while the program is compiled. The program begins with the first message. */
async function startWorker(
  worker: Worker,
  module: Promise<WebAssembly.Module>,
  events: ChannelEvents,
  device?: Device,
): Promise<Channel> {
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
    start = { module: await module, device };
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
