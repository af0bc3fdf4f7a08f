/** The implementation of the kernels: SIMD with fused or separate multiply and add, or plain Go. */
export type Level = "fused" | "plain" | "portable";

export interface Module {
  level: Level;
  base64: string;
}

export interface Link {
  /**
   * Instantiates the module that `examine` selected on the memory of the Go instance. Call it before the
   * program runs. It never throws; it returns "portable" if there is no module.
   */
  attach(instance: WebAssembly.Instance, modules?: Module[]): Level;
}

/** Adds the imports that a Go program built with the tag bagscope_simd needs to its import object. */
export function link(imports: WebAssembly.Imports): Link;

/**
 * Returns the first module that this host supports and that passes its test, or null. It needs no Go program, so that a
 * Worker can call it while the program is being fetched; attach uses the result.
 */
export function examine(modules?: Module[]): { level: Level; module: WebAssembly.Module } | null;
