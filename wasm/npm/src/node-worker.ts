/** Runs the program in a worker thread of Node and connects it to the parent's port. */

import { type MessagePort as ThreadPort, parentPort, workerData } from "node:worker_threads";
import {
  askingSource,
  type Part,
  type WorkerExit,
  type WorkerStart,
  type WorkerUnread,
} from "./channel.js";
import type { Packet } from "./codec.js";
import { startProgram } from "./program.js";

const port = parentPort!;
const program = startProgram(
  (workerData as WorkerStart).module,
  (message) => port.postMessage(message, [message.buffer]),
  (exit) => port.postMessage({ exit } satisfies WorkerExit),
  (unread, reason) => port.postMessage({ unread, reason } satisfies WorkerUnread),
  askingSource((need, transfer) =>
    port.postMessage(need, transfer as unknown as readonly ThreadPort[]),
  ),
);
port.on("message", (message: Packet | Part) =>
  "part" in message ? program.keep(message) : program.send(message),
);
