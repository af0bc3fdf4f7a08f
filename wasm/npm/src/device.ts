/** Finds out whether a page can use a graphics processor. */

import type { Device } from "./channel.js";
import { BagscopeError } from "./error.js";
import type { LoadOptions } from "./types.js";

/** The part of WebGPU in use here; the program uses the others. */
interface Adapter {
  isFallbackAdapter?: boolean;
  info?: { isFallbackAdapter?: boolean };
}
interface Gpu {
  requestAdapter(options: { powerPreference: "high-performance" }): Promise<Adapter | null>;
}

const none =
  "this page has no access to a graphics processor; use a browser with WebGPU and a " +
  "page from https or localhost, or omit device";

/** The device for the program; undefined for the CPU. */
export async function wantedDevice(
  device: LoadOptions["device"] = "cpu",
): Promise<Device | undefined> {
  if (device === "cpu") return undefined;
  if (device !== "gpu" && device !== "auto")
    throw new BagscopeError(
      "setting",
      `device is ${JSON.stringify(device)}, and must be "cpu", "gpu" or "auto"`,
    );
  const { gpu } = navigator as { gpu?: Gpu };
  const adapter = await gpu
    ?.requestAdapter({ powerPreference: "high-performance" })
    .catch(() => null);
  if (device === "gpu" && !adapter) throw new BagscopeError("unavailable", none);
  // A software implementation on the CPU is never faster.
  const real = adapter && !(adapter.isFallbackAdapter ?? adapter.info?.isFallbackAdapter);
  return device === "gpu" || real ? device : undefined;
}
