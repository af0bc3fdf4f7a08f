export default async function ({ engine, model, bag }) {
  const report = await model.explain(bag, { method: ["single", "milli"], samples: 1000, seed: 1 });
  return { report, show: await engine.draw(bag, report, { method: "milli", scale: 2 }) };
}
