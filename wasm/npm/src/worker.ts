/** What runs in a browser's Web Worker: the program, behind postMessage. */

import type { WorkerExit, WorkerLoaded, WorkerStart } from "./channel.js";
import { type Program, startProgram } from "./program.js";

interface WorkerScope {
  onmessage: ((event: MessageEvent<WorkerStart | Uint8Array>) => void) | null;
  postMessage(message: WorkerExit | WorkerLoaded | Uint8Array, transfer?: Transferable[]): void;
}

const scope = globalThis as unknown as WorkerScope;
let program: Program | undefined;

scope.onmessage = ({ data }) => {
  if (data instanceof Uint8Array) {
    program?.send(data);
    return;
  }
  program = startProgram(
    data.module,
    (message) => scope.postMessage(message, [message.buffer]),
    (exit) => scope.postMessage({ exit }),
  );
};
scope.postMessage({ loaded: true });
