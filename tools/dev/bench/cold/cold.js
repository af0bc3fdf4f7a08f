// The shortest page that predicts with onnxruntime-web: the site's network, a bag of its size, one thread.
import * as ort from "./ort/ort.wasm.min.mjs";

ort.env.wasm.numThreads = 1;
ort.env.wasm.wasmPaths = new URL("ort/", import.meta.url).href;

const response = await fetch("site/example/model.onnx");
const session = await ort.InferenceSession.create(new Uint8Array(await response.arrayBuffer()), {
  executionProviders: ["wasm"],
});
const bag = new ort.Tensor("float32", new Float32Array(29 * 28 * 28), [29, 1, 28, 28]);
await session.run({ [session.inputNames[0]]: bag });
dispatchEvent(new Event("predicted"));
