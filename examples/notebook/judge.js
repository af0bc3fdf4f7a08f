export default async function ({ model, bag, report }) {
  const { judgements, classes } = await model.judge(bag, report);
  const rows = judgements.map(({ method, class: c, values }) => ({
    method,
    class: classes[c],
    "AOPC-R": values.aopc_r,
    "NDCG@n": values.ndcg ?? "–",
  }));
  return { show: rows };
}
