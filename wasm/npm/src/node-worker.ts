/** What runs in a worker thread of Node: the program, behind the parent's port. */

import { parentPort, workerData } from "node:worker_threads";
import type { WorkerExit, WorkerStart } from "./channel.js";
import { startProgram } from "./program.js";

const port = parentPort!;
const program = startProgram(
  (workerData as WorkerStart).module,
  (message) => port.postMessage(message, [message.buffer]),
  (exit) => port.postMessage({ exit } satisfies WorkerExit),
);
port.on("message", (message: Uint8Array) => program.send(message));
