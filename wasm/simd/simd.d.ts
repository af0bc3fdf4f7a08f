/** What the fast loops run on: fused or separate multiply and add in SIMD, or plain Go. */
export type Level = "fused" | "plain" | "portable";

export interface Module {
  level: Level;
  base64: string;
}

export interface Link {
  /**
   * Instantiates the first module that this host validates and that computes rightly, on the memory
   * of the Go instance. To be called before the program runs, in a Worker for choice: some browsers
   * compile nothing but the smallest modules in the thread of a page. Never throws: "portable" says
   * that there is none.
   */
  attach(instance: WebAssembly.Instance, modules?: Module[]): Level;
}

/** Adds the imports that a Go program built with the tag bagscope_simd needs to its import object. */
export function link(imports: WebAssembly.Imports): Link;
