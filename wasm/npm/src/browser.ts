/** Starts the engine in a browser, from any source of its program and its worker. */

import {
  type Channel,
  type ChannelEvents,
  handedOver,
  hear,
  type Part,
  type Starter,
  type WorkerStart,
} from "./channel.js";
import type { Packet } from "./codec.js";
import { type Device, wantedDevice } from "./device.js";
import { OpenEngine } from "./engine.js";
import { BagscopeError } from "./error.js";
import { startInline } from "./inline.js";
import type { Engine, LoadOptions, WasmSource } from "./types.js";

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
        : startWorker(begun(parts.worker), module, events, device);
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

/** Compiles the program. Throws an error in words if it cannot be fetched or compiled. */
async function compile(given: NonNullable<LoadOptions["wasm"]>): Promise<WebAssembly.Module> {
  const source = await Promise.resolve(given).catch((cause: unknown) => {
    throw failure(`the engine cannot be loaded: ${wordsOf(cause)}`);
  });
  const file = `the engine's file${source instanceof Response ? ` ${source.url}` : ""}`;
  if (source instanceof Response && !source.ok)
    throw failure(`${file} cannot be loaded: ${source.status} ${source.statusText}`);
  try {
    return await compiled(source);
  } catch (cause) {
    throw failure(
      runsWasm() ? `${file} is not its program, or is not complete: ${wordsOf(cause)}` : noWasm,
    );
  }
}

async function compiled(source: WasmSource): Promise<WebAssembly.Module> {
  if (source instanceof WebAssembly.Module) return source;
  if (!(source instanceof Response)) return WebAssembly.compile(source);
  // Streaming compilation fails if the host sends a wrong content type for .wasm files.
  if (source.headers.get("Content-Type")?.startsWith("application/wasm"))
    return WebAssembly.compileStreaming(source);
  return WebAssembly.compile(await source.arrayBuffer());
}

const noWasm =
  "this page cannot run WebAssembly; allow it by script-src 'wasm-unsafe-eval' in the page's " +
  "Content-Security-Policy, and in the browser's settings for this site";

/** Returns whether the page can compile the smallest program. */
function runsWasm(): boolean {
  try {
    return Boolean(new WebAssembly.Module(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0)));
  } catch {
    return false;
  }
}

const noWorker =
  "the page's Content-Security-Policy must allow it by worker-src, and by worker-src blob: if its " +
  "script comes from another host";

/** Returns a worker, or throws an error in words if the page may not have it. */
function begun(worker: () => Worker): Worker {
  try {
    return worker();
  } catch (cause) {
    throw failure(`the engine's worker cannot start (${wordsOf(cause)}); ${noWorker}`);
  }
}

/**
 * Returns a worker with the script of a URL. Browsers refuse scripts of other origins, and all
 * scripts in a sandboxed frame, so a script of the page's own imports them. Chromium refuses modules
 * in such frames, so the script is a classic one there.
 */
export function workerAt(script: URL | string): Worker {
  const url = new URL(script, globalThis.document?.baseURI ?? location.href);
  return url.origin === globalThis.origin
    ? new Worker(url, { type: "module", name: "bagscope" })
    : workerOf(`importScripts(${JSON.stringify(url.href)})`);
}

/** Returns a worker with the text of a classic script. */
export function workerOf(script: string): Worker {
  const url = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  const worker = new Worker(url, { name: "bagscope" });
  worker.addEventListener("message", () => URL.revokeObjectURL(url), { once: true });
  return worker;
}

/** The error of an engine that cannot start. */
const failure = (message: string) => new BagscopeError("internal", message);

const wordsOf = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause));

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
    onExit(
      event.message
        ? `the engine's worker failed: ${event.message}`
        : `the script of the engine's worker cannot be loaded; ${noWorker}`,
    );
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
