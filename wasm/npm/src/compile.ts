/** Fetches and compiles the program, in the thread that calls it. */

import { BagscopeError } from "./error.js";
import type { Loading, WasmSource } from "./types.js";

/**
 * Compiles the program of a source, or that at a URL. Throws an error in words if it cannot be
 * fetched or compiled, which names `what` was to be. Tells what of a fetched program has arrived.
 */
export async function compile(
  given: URL | WasmSource | Promise<WasmSource>,
  what = "the engine",
  onLoading?: (loading: Loading) => void,
): Promise<WebAssembly.Module> {
  const begun = given instanceof URL ? fetch(given) : given;
  const source = await Promise.resolve(begun).catch((cause: unknown) => {
    throw failure(`${what} cannot be loaded: ${wordsOf(cause)}`);
  });
  const file = `${what}'s file${source instanceof Response ? ` ${source.url}` : ""}`;
  if (source instanceof Response && !source.ok)
    throw failure(`${file} cannot be loaded: ${source.status} ${source.statusText}`);
  if (onLoading && source instanceof Response) void follow(source.clone(), onLoading);
  try {
    return await compiled(source);
  } catch (cause) {
    throw failure(
      runsWasm() ? `${file} is not its program, or is not complete: ${wordsOf(cause)}` : noWasm,
    );
  }
}

/** The size of bagscope.wasm, which the build of the package writes here. */
declare const PROGRAM_BYTES: number;

/** Counts what arrives of a copy of a response. The original is compiled, so that it can be cached. */
async function follow({ body, headers }: Response, tell: (loading: Loading) => void) {
  const sent = Number(headers.get("Content-Length")) || 0;
  // The body of a compressed file has more bytes than were sent.
  const whole = sent && !headers.has("Content-Encoding") ? sent : PROGRAM_BYTES;
  const reader = body?.getReader();
  for (let received = 0; ;) {
    const { done = true, value } = (await reader?.read().catch(() => undefined)) ?? {};
    if (done || !value) return;
    received += value.length;
    tell({ bytes: sent || PROGRAM_BYTES, share: Math.min(1, received / whole) });
  }
}

async function compiled(source: WasmSource): Promise<WebAssembly.Module> {
  if (source instanceof WebAssembly.Module) return source;
  if (!(source instanceof Response)) return WebAssembly.compile(source);
  // Streaming compilation fails if the host sends a wrong content type for .wasm files.
  if (source.headers.get("Content-Type")?.startsWith("application/wasm"))
    return WebAssembly.compileStreaming(source);
  return WebAssembly.compile(await source.arrayBuffer());
}

const noWasm =
  "this page cannot run WebAssembly; allow it by script-src 'wasm-unsafe-eval' in the page's " +
  "Content-Security-Policy, and in the browser's settings for this site";

/** Returns whether this thread can compile the smallest program. */
function runsWasm(): boolean {
  try {
    return Boolean(new WebAssembly.Module(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0)));
  } catch {
    return false;
  }
}

/** The error of an engine that cannot start. */
export const failure = (message: string) => new BagscopeError("internal", message);

export const wordsOf = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause));

/** The reason of a program that was started without a decoder of JPEG 2000. */
export const noDecoder =
  "the decoder of JPEG 2000 is not part of this page; the command bagscope reads the file";
