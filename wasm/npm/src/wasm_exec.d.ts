/** Go's own wasm_exec.js, which the build takes from the Go that built the wasm file. It defines globalThis.Go. */
declare module "wasm_exec" {}
