import type { Channel, ChannelEvents } from "./channel.js";
import { startProgram } from "./program.js";

/** Starts the program in this thread. Messages are delivered when the program has given the thread back. */
export function startInline(module: WebAssembly.Module, events: ChannelEvents): Channel {
  let open = true;
  const program = startProgram(
    module,
    (message) => queueMicrotask(() => open && events.onMessage(message)),
    (reason) => queueMicrotask(() => open && events.onExit(reason)),
    (id, reason) => queueMicrotask(() => open && events.onUnread(id, reason)),
  );
  return {
    send: (message) => queueMicrotask(() => open && program.send(message)),
    close: () => (open = false),
  };
}
