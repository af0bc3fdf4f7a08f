import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const files = {
  bagscope: ["bagscope/bagscope.wasm", "bagscope/index.js", "bagscope/worker.js"],
  onnxruntime: ["ort/ort-wasm-simd-threaded.wasm", "ort/ort-wasm-simd-threaded.mjs", "ort/ort.wasm.min.mjs"],
};

/** Bytes of what a page loads of an engine: as they are, and compressed once and for all as static hosts do. */
export function shipped(folder, engine) {
  const sum = { raw: 0, gzip: 0, brotli: 0 };
  for (const name of files[engine]) {
    const file = path.join(folder, name);
    if (!existsSync(file)) throw new Error(`${name} is not at hand`);
    const bytes = readFileSync(file);
    const { BROTLI_PARAM_LGWIN, BROTLI_PARAM_SIZE_HINT } = constants;
    const params = { [BROTLI_PARAM_LGWIN]: 24, [BROTLI_PARAM_SIZE_HINT]: bytes.length };
    sum.raw += bytes.length;
    sum.gzip += gzipSync(bytes, { level: 9 }).length;
    sum.brotli += brotliCompressSync(bytes, { params }).length;
  }
  return sum;
}
