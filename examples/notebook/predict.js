export default async function ({ model, bag }) {
  const { prediction, classes } = await model.predict(bag);
  return { show: classes.map((name, c) => ({ class: name, probability: prediction[c] })) };
}
