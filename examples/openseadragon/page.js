// Lays an explanation over a viewer of OpenSeadragon that knows nothing of bagscope.
import { load } from "./bagscope/index.js";
import { overlay, withoutStyles } from "./bagscope/openseadragon.js";

withoutStyles(); // this page's policy forbids the viewer's style element
const viewer = OpenSeadragon({
  id: "viewer",
  tileSources: { type: "image", url: "tissue/slide.png" },
  showNavigationControl: false,
  gestureSettingsMouse: { clickToZoom: false },
});

const bytes = async (name) => new Uint8Array(await (await fetch(name)).arrayBuffer());
const engine = await load();
const model = await engine.open(await bytes("tissue/on-features.onnx"), { name: "on-features.onnx" });
const bag = await engine.bag(await bytes("tissue/features.h5"), { name: "features.h5", model });
const { explanations, prediction } = await model.explain(bag, { seed: 1 });

const [chosen, smooth, shown, patch] = ["class", "smooth", "shown", "patch"].map((id) => document.getElementById(id));
const nameOf = ({ class: c }) => model.info.classes[c] ?? `class ${c}`;
chosen.append(...explanations.map((e, i) => new Option(nameOf(e), i)));
const likely = prediction.indexOf(Math.max(...prediction));
chosen.value = explanations.findIndex((e) => e.class === likely);
const explanation = () => explanations[chosen.value];

function describe(instance) {
  const e = explanation();
  patch.textContent =
    instance === null
      ? `${bag.instances} patches. Point at one.`
      : `Patch ${instance}: ${e.scores[instance].toFixed(3)} ${e.unit} for ${nameOf(e)}` +
        (e.evident[instance] ? "." : ", which is no evidence.");
}

const map = overlay(viewer, {
  boxes: bag.boxes,
  explanation: explanation(),
  colour: 0.25,
  onHover: describe,
});
const update = () => {
  map.show({ explanation: explanation(), smooth: smooth.checked, opacity: shown.checked ? 0.6 : 0 });
  describe(null);
};
for (const input of [chosen, smooth, shown]) {
  input.disabled = false;
  input.addEventListener("change", update);
}
describe(null);
document.body.dataset.done = "";
