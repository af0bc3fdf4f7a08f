// Prints the size of the wasm file, raw and compressed as hosts send it, and fails if a compressed
// size is above its limit. Brotli takes half a minute.
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

/**
 * About 1 % above the measured size: an unexpected dependency fails, an added operator does not.
 * What-ifs, checks of maps and the encoding of slides are the last parts that were added on purpose.
 */
export const limits = { gzip: 3_820_000, brotli: 2_700_000 };

/** Each returns the number of bytes after compression at the highest level. */
export const compressed = {
  gzip: (bytes) => gzipSync(bytes, { level: 9 }).length,
  brotli: (bytes) => {
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: 11,
      [constants.BROTLI_PARAM_LGWIN]: 24,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    };
    return brotliCompressSync(bytes, { params }).length;
  },
};

/** The program that every page loads. */
export const program = new URL("../dist/bagscope.wasm", import.meta.url);

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const bytes = await readFile(program);
  console.log(`bagscope.wasm: ${bytes.length} bytes`);
  for (const [format, size] of Object.entries(compressed)) {
    const n = size(bytes);
    console.log(`  in ${format}: ${n} bytes, limit ${limits[format]}`);
    if (n > limits[format]) process.exitCode = 1;
  }
}
