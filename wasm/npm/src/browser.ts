/** Starts the engine in a browser, from any source of its program and its worker. */

import {
  answer,
  type Channel,
  type ChannelEvents,
  handedOver,
  moved,
  dispatch,
  type Part,
  type Starter,
  type WorkerCompile,
  type WorkerCompiled,
  type WorkerStart,
} from "./channel.js";
import type { Packet } from "./codec.js";
import { compile, failure, noDecoder, wordsOf } from "./compile.js";
import { type DecoderSource, kept } from "./decoder.js";
import { type Device, wantedDevice } from "./device.js";
import { OpenEngine } from "./engine.js";
import { known } from "./known.js";
import type { Engine, LoadOptions } from "./types.js";

/** Sources of the parts of the engine. */
export interface Parts {
  /** Default URL of the program. That for graphics processors is beside it. */
  program(): URL;
  /** Default URL of the decoder of JPEG 2000. */
  codec(): URL;
  worker(): Worker;
}

export async function startEngine(options: LoadOptions, parts: Parts): Promise<Engine> {
  const device = await wantedDevice(known("LoadOptions", options).device);
  const decoder = decoderAt(options.codecURL, parts.codec);
  const inline = options.worker === false;
  const workers = inline ? 1 : (options.workers ?? "auto");
  const starter =
    (program: Program, device?: Device): Starter =>
    async (events) => {
      const { onLoading } = options;
      if (!inline)
        return startWorker(begun(parts.worker), program, events, decoder, device, onLoading);
      // Few pages need this, which contains what is in the worker's file, too.
      const { startInline } = await import("./inline.js");
      return startInline(await program.here(), events, decoder, device);
    };
  // Helpers compute on the CPU, because encoding on a graphics processor is not shared.
  const helper = starter(new Program(options.wasm ?? address(options.wasmURL ?? parts.program())));
  const start = device
    ? starter(new Program(address(options.gpuWasmURL ?? new URL(gpuFile, parts.program()))), device)
    : helper;
  const { onWorkerLost } = options;
  const pool = { workers, cores: navigator.hardwareConcurrency || 1, early: true, onWorkerLost };
  return OpenEngine.start(start, pool, decoder, helper);
}

/** Returns the source of the decoder of JPEG 2000. */
function decoderAt(given: LoadOptions["codecURL"], usual: () => URL): DecoderSource {
  return kept(async () => {
    if (given === null) throw failure(noDecoder);
    return compile(address(given ?? usual()), "the decoder of JPEG 2000");
  });
}

/**
 * The URL is not a literal, because bundlers would put the file into every page, and some builds of
 * the package lack it.
 */
const gpuFile = ["bagscope-gpu", "wasm"].join(".");

/** A program, compiled once for all workers that run it. */
class Program {
  private module: Promise<WebAssembly.Module> | undefined;

  constructor(private readonly source: NonNullable<LoadOptions["wasm"]> | URL) {}

  /** Returns the program, compiled in this thread. */
  here(): Promise<WebAssembly.Module> {
    return (this.module ??= compile(this.source));
  }

  /**
   * Returns the program. A file is fetched and compiled by `worker`, because its bytes would block
   * this thread while they arrive.
   */
  by(worker: (file: URL) => Promise<WebAssembly.Module>): Promise<WebAssembly.Module> {
    return this.source instanceof URL ? (this.module ??= worker(this.source)) : this.here();
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

/** Returns a URL that a worker understands, too, whose own address is another. */
function address(url: string | URL): URL {
  try {
    return new URL(url, globalThis.document?.baseURI ?? location.href);
  } catch {
    throw failure(`the engine cannot be loaded: ${url} is not a URL`);
  }
}

/**
 * Returns a worker with the script of a URL. Browsers refuse scripts of other origins, and all
 * scripts in a sandboxed frame, so a script of the page's own imports them. Chromium refuses modules
 * in such frames, so the script is a classic one there.
 */
export function workerAt(script: URL | string): Worker {
  const url = address(script);
  if (url.origin === globalThis.origin)
    return new Worker(trusted(url), { type: "module", name: "bagscope" });
  // The worker of a page that demands trusted types demands them, too.
  const href = JSON.stringify(url.href);
  return workerOf(
    `let at = ${href}; try { at = trustedTypes.createPolicy("bagscope", ` +
      "{ createScriptURL: (url) => url }).createScriptURL(at) } catch {} importScripts(at)",
  );
}

/** What of Trusted Types is in use here. Browsers without them lack the first. */
interface Trusting {
  trustedTypes?: {
    createPolicy(name: string, rules: { createScriptURL(url: string): string }): Policy;
  };
}
interface Policy {
  createScriptURL(url: string): unknown;
}

let policy: Policy | null | undefined;

/**
 * The address of a script for a page that takes only trusted ones: its Content-Security-Policy has
 * require-trusted-types-for 'script', and must name the policy, trusted-types bagscope.
 */
function trusted(url: URL | string): URL {
  const { trustedTypes } = globalThis as Trusting;
  try {
    if (policy === undefined)
      policy = trustedTypes?.createPolicy("bagscope", { createScriptURL: (url) => url }) ?? null;
  } catch {
    policy = null; // the page names other policies alone
  }
  return (policy ? policy.createScriptURL(String(url)) : url) as URL;
}

/** Returns a worker with the text of a classic script. */
export function workerOf(script: string): Worker {
  const url = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  const worker = new Worker(trusted(url), { name: "bagscope" });
  worker.addEventListener("message", () => URL.revokeObjectURL(url), { once: true });
  return worker;
}

/**
 * Starts a worker, which loads its script while the program is compiled, or compiles it itself. The
 * program starts at the first message.
 */
async function startWorker(
  worker: Worker,
  program: Program,
  events: ChannelEvents,
  decoder: DecoderSource,
  device?: Device,
  onLoading: LoadOptions["onLoading"] = () => {},
): Promise<Channel> {
  let lost: string | undefined;
  let onExit = (reason: string): void => void (lost ??= reason);
  let settle = () => {};
  const loaded = new Promise<void>((resolve) => (settle = resolve));
  let onCompiled = (_: WorkerCompiled) => {};
  worker.onmessage = ({ data }) => {
    if ("loaded" in data) settle();
    else if ("loading" in data) onLoading(data.loading);
    else if ("compiled" in data) onCompiled(data);
    else if ("need" in data) answer(data, decoder);
    else dispatch(data, events);
  };
  worker.onerror = (event) => {
    event.preventDefault();
    settle();
    const reason = event.message
      ? `the engine's worker failed: ${event.message}`
      : `the script of the engine's worker cannot be loaded; ${noWorker}`;
    onCompiled({ compiled: null, reason });
    onExit(reason);
  };
  const compileThere = (file: URL) =>
    new Promise<WebAssembly.Module>((resolve, reject) => {
      onCompiled = (answer) =>
        answer.compiled ? resolve(answer.compiled) : reject(failure(answer.reason));
      worker.postMessage({ compile: file.href } satisfies WorkerCompile);
    });
  let start: WorkerStart | null;
  try {
    start = { module: await program.by(compileThere), device };
  } catch (cause) {
    worker.terminate();
    throw cause;
  }
  onExit = (reason) => events.onExit(reason);
  const post = (message: Packet | Part, transfer: Transferable[] = []) => {
    if (start) worker.postMessage(start);
    start = null;
    worker.postMessage(message, transfer);
  };
  // There is no request yet: the first request reports the failure.
  if (lost !== undefined) setTimeout(onExit, 0, lost);
  return {
    send: (message) => post(message, handedOver(message)),
    keep: (part) => post(part, moved(part)),
    close: () => worker.terminate(),
    loaded,
  };
}
