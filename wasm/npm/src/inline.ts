import type { Channel, ChannelEvents } from "./channel.js";
import type { DecoderSource } from "./decoder.js";
import type { Device } from "./device.js";
import { startProgram } from "./program.js";

/** Starts the program in this thread. Messages are delivered when the program yields the thread. */
export function startInline(
  module: WebAssembly.Module,
  events: ChannelEvents,
  decoder: DecoderSource,
  device?: Device,
): Channel {
  let open = true;
  const program = startProgram(
    module,
    (message) => queueMicrotask(() => open && events.onMessage(message)),
    (reason) => queueMicrotask(() => open && events.onExit(reason)),
    (id, reason) => queueMicrotask(() => open && events.onUnread(id, reason)),
    decoder,
    device,
  );
  return {
    send: (message) => queueMicrotask(() => open && program.send(message)),
    keep: (part) => queueMicrotask(() => open && program.keep(part)),
    close: () => (open = false),
  };
}
