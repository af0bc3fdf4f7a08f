// Builds dist/bagscope-gpu.wasm, the program for graphics processors, which pages fetch on request.
import { buildProgram, licences } from "./program.mjs";

await buildProgram("bagscope-gpu.wasm", "gpu");
licences("LICENSES-gpu.txt", "gpu");
