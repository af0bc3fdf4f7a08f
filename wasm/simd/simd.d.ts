/** What the fast loops run on: fused or separate multiply and add in SIMD, or plain Go. */
export type Level = "fused" | "plain" | "portable";

export interface Module {
  level: Level;
  base64: string;
}

export interface Link {
  /**
   * Instantiates the module that `examine` chose on the memory of the Go instance. To be called before
   * the program runs. Never throws: "portable" says that there is none.
   */
  attach(instance: WebAssembly.Instance, modules?: Module[]): Level;
}

/** Adds the imports that a Go program built with the tag bagscope_simd needs to its import object. */
export function link(imports: WebAssembly.Imports): Link;

/**
 * The first module that this host validates and that computes rightly, or null. It needs no Go program, so that a
 * Worker may call it while that is still on its way: attach finds the answer then.
 */
export function examine(modules?: Module[]): { level: Level; module: WebAssembly.Module } | null;
