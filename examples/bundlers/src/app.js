import { load } from "bagscope";

const engine = await load();
const get = async (url) => (await fetch(url)).blob();
const model = await engine.open(await get("digits/model.onnx"));
const bag = await engine.bag(await get("digits/bags.npz"), { name: "bags.npz", model });
const { explanations } = await model.explain(bag, { method: "milli", settings: "mnist" });
document.body.textContent = explanations.map(({ scores }) => scores.length).join(" ");
document.body.dataset.done = "";
