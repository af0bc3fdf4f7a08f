/** bagscope for Node: as in browsers, with a worker thread instead of the Web Worker. */

import { readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { type MessagePort as ThreadPort, Worker } from "node:worker_threads";
import {
  answer,
  type Channel,
  type ChannelEvents,
  handedOver,
  moved,
  dispatch,
  type WorkerStart,
} from "./channel.js";
import { failure, noDecoder, wordsOf } from "./compile.js";
import { type DecoderSource, kept } from "./decoder.js";
import { OpenEngine } from "./engine.js";
import { BagscopeError } from "./error.js";
import { startInline } from "./inline.js";
import { known } from "./known.js";
import type { Engine, LoadOptions } from "./types.js";

export * from "./common.js";

/**
 * Starts an engine. Engines are independent of each other; each has its own thread, unless
 * `worker` is false. The program is read from the package's folder by default.
 */
export async function load(options: LoadOptions = {}): Promise<Engine> {
  if (known("LoadOptions", options).device === "gpu")
    throw new BagscopeError("unavailable", noDevice);
  const given = await (options.wasm ?? program(options.wasmURL));
  const module =
    given instanceof WebAssembly.Module
      ? given
      : await WebAssembly.compile(given instanceof Response ? await given.arrayBuffer() : given);
  const inline = options.worker === false;
  const decoder = kept(() => decoderAt(options.codecURL));
  const start = inline ? startInline : startThread;
  const workers = inline ? 1 : (options.workers ?? "auto");
  const { onWorkerLost } = options;
  const pool = { workers, cores: availableParallelism(), early: false, onWorkerLost };
  return OpenEngine.start(async (events) => start(module, events, decoder), pool, decoder);
}

const noDevice =
  "the engine cannot use a graphics processor in Node; use a browser, or the command " +
  "line built with the tag gpu";

/** Returns the bytes of the program at a path or URL, by default beside this module. */
async function program(where?: string | URL): Promise<BufferSource> {
  try {
    return await bytesOf(where ?? new URL("./bagscope.wasm", import.meta.url));
  } catch (cause) {
    const advice = where === undefined ? `; ${unbundled}` : "";
    throw failure(`the engine cannot be loaded: ${wordsOf(cause)}${advice}`);
  }
}

/** Returns the decoder of JPEG 2000 at a path or URL, by default beside this module. */
async function decoderAt(where: LoadOptions["codecURL"]): Promise<WebAssembly.Module> {
  if (where === null) throw failure(noDecoder);
  try {
    const bytes = await bytesOf(where ?? new URL("./codec.wasm", import.meta.url));
    return await WebAssembly.compile(bytes);
  } catch (cause) {
    const advice = where === undefined ? `; ${unbundled}` : "";
    throw failure(`the decoder of JPEG 2000 cannot be loaded: ${wordsOf(cause)}${advice}`);
  }
}

const unbundled =
  "a bundler that moves the files of this package must leave it out of the bundle, as " +
  'serverExternalPackages: ["bagscope"] does in next.config.js';

/** Returns the bytes of a file, by its path or URL. Node's fetch does not read file: URLs. */
async function bytesOf(where: string | URL): Promise<BufferSource> {
  const url = typeof where === "string" && !URL.canParse(where) ? where : new URL(where);
  if (url instanceof URL && url.protocol !== "file:") return (await fetch(url)).arrayBuffer();
  return new Uint8Array(await readFile(url));
}

/**
 * Starts the program in a thread. A waiting engine does not keep the process alive: the thread is
 * referenced only while a request is under way.
 */
function startThread(
  module: WebAssembly.Module,
  events: ChannelEvents,
  decoder: DecoderSource,
): Channel {
  const worker = new Worker(new URL("./node-worker.js", import.meta.url), {
    workerData: { module } satisfies WorkerStart,
  });
  worker.on("message", (data) => ("need" in data ? answer(data, decoder) : dispatch(data, events)));
  worker.on("error", (cause) => events.onExit(`the engine's thread failed: ${cause}`));
  worker.on("exit", () => events.onExit("the engine's thread ended"));
  worker.unref();
  return {
    send: (message) => worker.postMessage(message, handedOver(message)),
    // The ports of Node are not those of browsers to TypeScript.
    keep: (part) => worker.postMessage(part, moved(part) as unknown as ThreadPort[]),
    close: () => void worker.terminate(),
    busy: (waiting) => (waiting ? worker.ref() : worker.unref()),
  };
}
