/** Runs the program in a browser's Web Worker and connects it to postMessage. */

import { examine } from "../../simd/simd.js";
import {
  askingSource,
  type Part,
  type WorkerCompile,
  type WorkerCompiled,
  type WorkerExit,
  type WorkerLoaded,
  type WorkerLoading,
  type WorkerNeed,
  type WorkerStart,
  type WorkerUnread,
} from "./channel.js";
import type { Packet } from "./codec.js";
import { compile, wordsOf } from "./compile.js";
import { type Program, startProgram } from "./program.js";

interface WorkerScope {
  onmessage: ((event: MessageEvent<WorkerCompile | WorkerStart | Packet | Part>) => void) | null;
  postMessage(
    message:
      | WorkerCompiled
      | WorkerExit
      | WorkerLoaded
      | WorkerLoading
      | WorkerNeed
      | WorkerUnread
      | Uint8Array,
    transfer?: Transferable[],
  ): void;
}

const scope = globalThis as unknown as WorkerScope;
let program: Program | undefined;

/** Answers the messages of the engine. */
function answer({ data }: MessageEvent<WorkerCompile | WorkerStart | Packet | Part>): void {
  if (data instanceof Uint8Array || data instanceof Blob) {
    program?.send(data);
    return;
  }
  if ("part" in data) {
    program?.keep(data);
    return;
  }
  if ("compile" in data) {
    compile(new URL(data.compile), undefined, (loading) => scope.postMessage({ loading })).then(
      (compiled) => scope.postMessage({ compiled }),
      (cause) => scope.postMessage({ compiled: null, reason: wordsOf(cause) }),
    );
    return;
  }
  disconnect();
  program = startProgram(
    data.module,
    (message) => scope.postMessage(message, [message.buffer]),
    (exit) => scope.postMessage({ exit }),
    (unread, reason) => scope.postMessage({ unread, reason }),
    askingSource((need, transfer) => scope.postMessage(need, transfer)),
    data.device,
  );
}

/**
 * Deletes what this worker could connect by. A policy that a page adds to itself does not bind its
 * workers.
 */
function disconnect(): void {
  const names = ["fetch", "XMLHttpRequest", "WebSocket", "WebTransport", "EventSource", "caches"];
  for (const name of [...names, "importScripts", "Worker"])
    for (let at: object | null = globalThis; at; at = Object.getPrototypeOf(at))
      Reflect.deleteProperty(at, name);
}

// Some site generators put every script of a folder into their pages, where this one does nothing.
if (!("document" in globalThis)) {
  scope.onmessage = answer;
  scope.postMessage({ loaded: true });
  examine(); // while the program is still being fetched
}
