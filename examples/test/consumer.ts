// A program in TypeScript, which is compiled and not run.
import { BagscopeError, load, type Report } from "bagscope";
import { BagExplainer, english, type Texts } from "bagscope/element";
import { load as embedded } from "bagscope/embedded";

export async function explain(bytes: Uint8Array): Promise<Report | string> {
  const engine = await load({ workers: 1 });
  try {
    const model = await engine.open(bytes);
    const bag = await engine.bag(bytes, { model });
    return await model.explain(bag, { method: ["milli", "single"], seed: 1n });
  } catch (error) {
    return error instanceof BagscopeError ? error.kind : "unknown";
  }
}

export function show(model: Blob, bag: File): BagExplainer {
  const texts: Texts = { ...english, method: "Methode" };
  BagExplainer.texts = texts;
  const element = document.createElement("bag-explainer");
  element.model = model;
  element.bag = bag;
  element.out = [3];
  return element;
}

export async function predict(bytes: Uint8Array): Promise<number[]> {
  await using engine = await load();
  using model = await engine.open(bytes);
  using bag = await engine.bag(bytes);
  return (await model.predict(bag, { signal: AbortSignal.timeout(1000) })).prediction;
}

export const inside = () => embedded({ wasm: fetch("bagscope.wasm") });
