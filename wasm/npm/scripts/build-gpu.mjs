// Builds dist/bagscope-gpu.wasm: the program that reaches graphics processors, which pages fetch when they ask for one.
import { buildProgram, licences } from "./program.mjs";

await buildProgram("bagscope-gpu.wasm", "gpu");
await licences("LICENSES-gpu.txt", "gpu");
