// Prints the size of the wasm file, raw and compressed as hosts send it.
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

/** Returns the size of a file in bytes: raw, and at the highest level of gzip and of brotli. */
export async function sizes(file) {
  const bytes = await readFile(file);
  const { BROTLI_PARAM_LGWIN, BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = constants;
  const params = {
    [BROTLI_PARAM_QUALITY]: 11,
    [BROTLI_PARAM_LGWIN]: 24,
    [BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  return {
    raw: bytes.length,
    gzip: gzipSync(bytes, { level: 9 }).length,
    brotli: brotliCompressSync(bytes, { params }).length,
  };
}

/** The program that every page loads. */
export const program = new URL("../dist/bagscope.wasm", import.meta.url);

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const each = Object.entries(await sizes(program)).map(
    ([name, n]) => `${(n / 1e6).toFixed(2)} MB ${name}`,
  );
  console.log(`bagscope.wasm: ${each.join(", ")}`);
}
