// esbuild leaves workers and files that modules name by URL behind: the package brings a form with its worker inside,
// and a loader gives the address of the wasm file.
import { load } from "bagscope/embedded";
import wasmURL from "bagscope/bagscope.wasm";

const engine = await load({ wasmURL: new URL(wasmURL, import.meta.url) });
const get = async (url) => (await fetch(url)).blob();
const model = await engine.open(await get("digits/model.onnx"));
const bag = await engine.bag(await get("digits/bags.npz"), { name: "bags.npz", model });
const { explanations } = await model.explain(bag, { method: "milli", settings: "mnist" });
document.body.textContent = explanations.map(({ scores }) => scores.length).join(" ");
document.body.dataset.done = "";
