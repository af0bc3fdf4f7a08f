// bagscope through its npm package, in one Worker: what a page's author calls, the way there and
// back included.

let engine;
const open = new Map();

async function file(name) {
  const response = await fetch(new URL(`data/${name}`, import.meta.url));
  if (!response.ok) throw new Error(`data/${name}: ${response.status}`);
  return response.blob();
}

/**
 * A subject's model and bag, opened once. With plain, the model runs as its file has it, for every
 * coalition anew.
 */
async function opened(subject, plain) {
  const key = subject.id + (plain ? ' plain' : '');
  if (!open.has(key)) {
    engine ??= await (await import('./bagscope/index.js')).load({ workers: 1 });
    const model = await engine.open(await file(subject.id + '.onnx'), {
      name: subject.model,
      plain,
    });
    // A blob, as a chosen file is: the page does not hold it beside the engine. Made of bytes it
    // could not be read: in its first seconds Chromium loses such blobs above some 300 MB.
    const npy = await file(subject.id + '.npy');
    open.set(key, { subject, model, npy });
  }
  return open.get(key);
}

const tasks = {
  forward: ({ model, bag }) => model.predict(bag),
  consensus: ({ model, bag }) => model.explain(bag, { method: 'consensus' }),
  milli: ({ model, bag, subject }) =>
    model.explain(bag, { method: 'milli', settings: subject.settings, rank: 'negative-class' }),
  // No method that the model serves: the bag is encoded, and the whole of it scored.
  encode: ({ model, bag }) => model.explain(bag, { method: 'inherent', skipMissing: true }),
  milli_explained: ({ model, bag, subject }) =>
    model.explain(bag, { method: 'milli', settings: subject.settings, rank: 'explained-class' }),
  random_shap: ({ model, bag }) => model.explain(bag, { method: 'random_shap', samples: 1000 }),
  loop: async ({ model, bag, sample }) => {
    for (const members of sample) {
      const part = await bag.select(members);
      await model.predict(part);
      part.close();
    }
  },
  aopc_r: ({ model, bag, subject }) =>
    model.judge(bag, rankings(subject), { metrics: 'aopc_r', orders: 10 }),
};

// Explaining a bag a second time encodes nothing.
tasks.consensus_encoded = tasks.consensus;
tasks.milli_encoded = tasks.milli;
const before = { consensus_encoded: tasks.encode, milli_encoded: tasks.encode };

/**
 * The mean time of a task in milliseconds. Each run gets a bag that the engine has not seen: it
 * keeps the last one encoded, and encoding is part of explaining.
 */
export async function measure({ engine: how, task, subject, sample, repeat = 1 }) {
  const on = await opened(subject, how === 'plain');
  let total = 0;
  for (let i = 0; i < repeat; i++) {
    const bag = await engine.bag(on.npy, { name: subject.id + '.npy' });
    await before[task]?.({ ...on, bag });
    const from = performance.now();
    await tasks[task]({ ...on, bag, sample });
    total += performance.now() - from;
    bag.close();
  }
  return total / repeat;
}

/** A random ranking for each class: no time is spent on finding what is judged. */
const rankings = ({ instances, classes }) =>
  Array.from({ length: classes }, (_, c) => ({ class: c, scores: shuffled(instances, c + 1) }));

/** 0..n-1 in an order that a seed fixes. */
function shuffled(n, seed) {
  const order = Array.from({ length: n }, (_, i) => i);
  let state = seed >>> 0;
  for (let i = n - 1; i > 0; i--) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const j = Math.floor((state / 2 ** 32) * (i + 1));
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}
