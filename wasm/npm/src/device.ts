/** Finds out whether a page can use a graphics processor. */

import { BagscopeError } from "./error.js";
import type { LoadOptions } from "./types.js";

/**
 * "gpu" uses a graphics processor for everything that it can compute, "auto" for what it computes
 * faster.
 */
export type Device = "gpu" | "auto";

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

/** The adapter of the highest performance; null if there is none. */
async function requestAdapter(): Promise<Adapter | null> {
  const { gpu } = (globalThis.navigator ?? {}) as { gpu?: Gpu };
  const adapter = gpu?.requestAdapter({ powerPreference: "high-performance" });
  return (await adapter?.catch(() => null)) ?? null;
}

/** Whether an adapter is no software on the CPU, which is never faster. */
const isHardware = (adapter: Adapter | null) =>
  adapter !== null && !(adapter.isFallbackAdapter ?? adapter.info?.isFallbackAdapter);

/**
 * Whether the page has a graphics processor: whether `load({ device: "auto" })` loads the program
 * for one. A software implementation on the CPU does not count. False in Node.
 */
export const hasGraphicsProcessor = async (): Promise<boolean> =>
  isHardware(await requestAdapter());

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
  const adapter = await requestAdapter();
  if (device === "gpu" && !adapter) throw new BagscopeError("unavailable", none);
  return device === "gpu" || isHardware(adapter) ? device : undefined;
}
