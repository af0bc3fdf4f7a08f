// onnxruntime-node on one thread: node native.mjs FOLDER, where models and bags lie.
import { readFileSync } from "node:fs";
import path from "node:path";
import { peakOf } from "./memory.mjs";
import { serve } from "./lines.mjs";
import { measure, opener } from "../../../../www/bench/ort.js";

const folder = process.argv[2];
const bytes = async (name) => readFileSync(path.join(folder, name));

async function load() {
  try {
    // Its way to fetch the library for NVIDIA's processors is never taken: npm ci --ignore-scripts.
    return (await import("onnxruntime-node")).default;
  } catch (cause) {
    throw new Error(`onnxruntime-node does not load; run npm ci --ignore-scripts in tools/dev/bench (${cause.message})`);
  }
}

const options = { intraOpNumThreads: 1, interOpNumThreads: 1, executionMode: "sequential" };
let open;
await serve({
  async ready() {
    open = opener(await load(), bytes, options);
    return {};
  },
  async measure(request) {
    return { ms: await measure(await open(request.subject), request) };
  },
  peak: async () => ({ bytes: peakOf("self") }),
});
