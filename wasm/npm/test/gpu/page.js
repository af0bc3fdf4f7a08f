// What the test calls in the page.
import { BagscopeError, hasGraphicsProcessor, load } from "../../dist/index.js";

const bytesOf = async (url) => new Uint8Array(await (await fetch(url)).arrayBuffer());
const engines = {};

/** What an engine says of a bag: the outputs, the scores of an explanation, and its notes. */
async function answer(device, { url, bag, name }) {
  const engine = (engines[device] ??= await load({ device, workers: 1 }));
  const model = await engine.open(await bytesOf(url));
  const given = bag ? await bytesOf(bag) : Uint8Array.from(atob(name), (c) => c.charCodeAt(0));
  const opened = await engine.bag(new File([given], "bag.npy"), { model });
  const prediction = await model.predict(opened);
  const report = await model.explain(opened, { method: ["single", "milli"], samples: 50, seed: 1 });
  model.close();
  opened.close();
  return {
    outputs: prediction.outputs.map(({ data }) => [...data]),
    scores: report.explanations.map(({ scores }) => [...scores]),
    notes: prediction.notes,
  };
}

window.bagscope = {
  answer,
  hasGraphicsProcessor,

  /** The kind of error with which an engine does not start. */
  async refused(options) {
    try {
      (await load(options)).close();
    } catch (error) {
      const { kind, message } = error instanceof BagscopeError ? error : {};
      return { kind, message: message ?? String(error) };
    }
  },

  /** Outputs and notes before the browser takes the device away and after. */
  async lost({ url, bag }) {
    const { requestDevice } = GPUAdapter.prototype;
    let device;
    GPUAdapter.prototype.requestDevice = async function (...args) {
      return (device = await requestDevice.apply(this, args));
    };
    const engine = await load({ device: "gpu", worker: false });
    const model = await engine.open(await bytesOf(url));
    const opened = await engine.bag(new File([await bytesOf(bag)], "bags.npz"), { model });
    const said = async () => {
      const { outputs, notes } = await model.predict(opened);
      return { outputs: outputs.map(({ data }) => [...data]), note: notes.at(-1) };
    };
    const before = await said();
    device.destroy();
    await device.lost;
    const after = await said();
    GPUAdapter.prototype.requestDevice = requestDevice;
    engine.close();
    return { before, after };
  },

  /**
   * The kind and the words of the error with which an engine does not start in a browser without
   * graphics processors.
   */
  async without(options) {
    Object.defineProperty(navigator, "gpu", { value: undefined, configurable: true });
    try {
      return await this.refused(options);
    } finally {
      delete navigator.gpu;
    }
  },
};
