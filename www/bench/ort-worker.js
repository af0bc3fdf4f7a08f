// onnxruntime-web on one thread, in a Worker of its own as bagscope is. Times are taken in here, so
// that the way of a message counts against bagscope alone.
import * as ort from './ort/ort.wasm.min.mjs';
import { measure, opener } from './ort.js';

ort.env.wasm.numThreads = 1;
ort.env.wasm.wasmPaths = new URL('ort/', import.meta.url).href;

const bytes = async (name) => {
  const response = await fetch(new URL(`data/${name}`, import.meta.url));
  if (!response.ok) throw new Error(`data/${name}: ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
};
const open = opener(ort, bytes, { executionProviders: ['wasm'] });

onmessage = async ({ data: { id, request } }) => {
  try {
    postMessage({ id, ms: await measure(await open(request.subject), request) });
  } catch (error) {
    postMessage({ id, error: String(error?.message ?? error) });
  }
};
