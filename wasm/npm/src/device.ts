/** Whether there is a graphics processor for a page. */

import type { Device } from "./channel.js";
import { BagscopeError } from "./error.js";
import type { LoadOptions } from "./types.js";

/** The part of WebGPU that is used here; the program does the rest. */
interface Adapter {
  isFallbackAdapter?: boolean;
  info?: { isFallbackAdapter?: boolean };
}
interface Gpu {
  requestAdapter(options: { powerPreference: "high-performance" }): Promise<Adapter | null>;
}

const none =
  "this page has no access to a graphics processor; use a browser with WebGPU and a page from https or localhost, or omit device";

/** What the program is told, nothing for the CPU alone. */
export async function wantedDevice(device: LoadOptions["device"] = "cpu"): Promise<Device | undefined> {
  if (device === "cpu") return undefined;
  if (device !== "gpu" && device !== "auto")
    throw new BagscopeError("setting", `device is ${JSON.stringify(device)}, and must be "cpu", "gpu" or "auto"`);
  const { gpu } = navigator as { gpu?: Gpu };
  const adapter = await gpu?.requestAdapter({ powerPreference: "high-performance" }).catch(() => null);
  if (device === "gpu" && !adapter) throw new BagscopeError("unavailable", none);
  // One that is a program on the CPU never pays.
  const real = adapter && !(adapter.isFallbackAdapter ?? adapter.info?.isFallbackAdapter);
  return device === "gpu" || real ? device : undefined;
}
