// Explains every bag of a file and prints, for the class that the model predicts, the instances that support it most.
//
//   node explain.mjs MODEL.onnx BAGS
import { readFile } from "node:fs/promises";
import { load } from "bagscope";

const [modelFile, bagFile] = process.argv.slice(2);
if (!bagFile) {
  console.error("usage: node explain.mjs MODEL.onnx BAGS");
  process.exit(2);
}
const engine = await load();
try {
  const model = await engine.open(await readFile(modelFile), { name: modelFile });
  const bags = await engine.bags(await readFile(bagFile), { name: bagFile, model });
  for (let i = 0; i < bags.length; i++) {
    const bag = await bags.bag(i);
    const { prediction, classes } = await model.predict(bag);
    const top = prediction.indexOf(Math.max(...prediction));
    const { explanations } = await model.explain(bag, { method: "milli", samples: 1000, classes: [top] });
    const { scores } = explanations[0];
    const best = scores.map((_, instance) => instance).sort((a, b) => scores[b] - scores[a]);
    const said = best.slice(0, 3).map((instance) => `${instance} (${scores[instance].toFixed(2)})`);
    console.log(
      `${bag.name || `bag ${i}`} → ${classes[top]} ${(100 * prediction[top]).toFixed(1)} %: ${said.join(", ")}`,
    );
    bag.close();
  }
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  engine.close();
}
