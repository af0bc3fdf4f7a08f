// Prints how large the wasm file is, raw and as hosts send it.
import { readFile } from "node:fs/promises";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const wasm = await readFile(new URL("../dist/bagscope.wasm", import.meta.url));
const { BROTLI_PARAM_LGWIN, BROTLI_PARAM_SIZE_HINT } = constants;
const brotli = brotliCompressSync(wasm, {
  params: { [BROTLI_PARAM_LGWIN]: 24, [BROTLI_PARAM_SIZE_HINT]: wasm.length },
});
const mb = (n) => `${(n / 1e6).toFixed(2)} MB`;
console.log(
  `bagscope.wasm: ${mb(wasm.length)} raw, ${mb(gzipSync(wasm, { level: 9 }).length)} gzip, ${mb(brotli.length)} brotli`,
);
