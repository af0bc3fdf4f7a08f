import { load } from "./bagscope/index.js";

export default async function () {
  const engine = await load();
  const get = async (url) => (await fetch(url)).blob();
  const model = await engine.open(await get("digits/model.onnx"));
  const bag = await engine.bag(await get("digits/bags.npz"), { name: "bags.npz", index: 4, model });
  return { engine, model, bag, show: `${bag.name}: ${bag.instances} instances, ${model.info.parameters} parameters` };
}
