/** Starts the engine in a browser, from any source of its program and its worker. */

import {
  type Channel,
  type ChannelEvents,
  type Device,
  handedOver,
  hear,
  type Part,
  type Starter,
  type WorkerStart,
} from "./channel.js";
import type { Packet } from "./codec.js";
import { wantedDevice } from "./device.js";
import { OpenEngine } from "./engine.js";
import { startInline } from "./inline.js";
import type { Engine, LoadOptions } from "./types.js";

/** Sources of the parts of the engine. */
export interface Parts {
  /** Fetches the wasm file if the caller does not pass it. */
  program(): Promise<Response>;
  /** Default URL of the program for graphics processors. */
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
      inline
        ? startInline(await module, events, device)
        : startWorker(parts.worker(), module, events, device);
  // Helpers compute on the CPU, because encoding on a graphics processor is not shared.
  const small = device && workers === 1 ? undefined : compile(options.wasm ?? parts.program());
  const helper = small && starter(small);
  const start = device
    ? starter(compile(fetch(options.gpuWasmURL ?? new URL(gpuFile, parts.beside))), device)
    : helper!;
  const { onWorkerLost } = options;
  const pool = { workers, cores: navigator.hardwareConcurrency || 1, early: true, onWorkerLost };
  return OpenEngine.start(start, pool, helper);
}

/**
 * The URL is not a literal, because bundlers would put the file into every page, and some builds of
 * the package lack it.
 */
const gpuFile = ["bagscope-gpu", "wasm"].join(".");

async function compile(given: NonNullable<LoadOptions["wasm"]>): Promise<WebAssembly.Module> {
  const source = await given;
  if (source instanceof WebAssembly.Module) return source;
  if (!(source instanceof Response)) return WebAssembly.compile(source);
  if (!source.ok)
    throw new Error(`${source.url} cannot be loaded: ${source.status} ${source.statusText}`);
  // Streaming compilation fails if the host sends a wrong content type for .wasm files.
  if (source.headers.get("Content-Type")?.startsWith("application/wasm"))
    return WebAssembly.compileStreaming(source);
  return WebAssembly.compile(await source.arrayBuffer());
}

/**
 * Starts a worker, which loads its script while the program is compiled. The program starts at the
 * first message.
 */
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
  const post = (message: Packet | Part, transfer: ArrayBuffer[] = []) => {
    if (start) worker.postMessage(start);
    start = null;
    worker.postMessage(message, transfer);
  };
  // There is no request yet: the first request reports the failure.
  if (lost !== undefined) setTimeout(onExit, 0, lost);
  return {
    send: (message) => post(message, handedOver(message)),
    keep: post,
    close: () => worker.terminate(),
    loaded,
  };
}
