// What the browser test calls in the page.
import { BagscopeError, load } from "../dist/index.js";

const bytesOf = async (url) => new Uint8Array(await (await fetch(url)).arrayBuffer());

/** An engine with the tiny model and its bags; everything that is ever fetched is fetched here. */
async function start(options) {
  const engine = await load(options);
  const model = await engine.open(await bytesOf("/wasm/parity/testdata/tiny.onnx"));
  const source = await bytesOf("/wasm/parity/testdata/tiny.csv");
  const set = await engine.bags(new File([source], "tiny.csv"));
  return { engine, model, set };
}

const engines = {};

window.bagscope = {
  async start(name, options) {
    engines[name] = await start(options);
    return engines[name].engine.version;
  },

  /**
   * Explains bags in fresh engines of several numbers of workers: their answers as texts, and how
   * many workers got messages.
   */
  async alike(counts, { model, bags, indices }, options) {
    const file = await bytesOf(model);
    const source = new File([await bytesOf(bags)], "bags.npz");
    const spoken = new Set();
    const { postMessage } = Worker.prototype;
    Worker.prototype.postMessage = function (...args) {
      spoken.add(this);
      return postMessage.apply(this, args);
    };
    const explained = async (workers) => {
      const engine = await load({ workers });
      const opened = await engine.open(file);
      const answers = [];
      for (const index of indices) {
        const bag = await engine.bag(source, { index });
        answers.push(await opened.explain(bag, options));
      }
      engine.close();
      return JSON.stringify(answers, (_, x) => (typeof x === "bigint" ? `${x}n` : x));
    };
    const answers = await Promise.all(counts.map(explained));
    Worker.prototype.postMessage = postMessage;
    return { answers, spoken: spoken.size };
  },

  /**
   * Explains with two workers until the second, which dies of its first task, has died, and once
   * more: what became of it all, as texts, beside the answer of one worker. The first worker may be
   * done before a busy machine has started the second.
   */
  async dying({ model, bags }, options) {
    const [file, source] = [await bytesOf(model), new File([await bytesOf(bags)], "bags.npz")];
    const explained = async (engine) => {
      const report = await (await engine.open(file)).explain(await engine.bag(source), options);
      return JSON.stringify(report, (_, x) => (typeof x === "bigint" ? `${x}n` : x));
    };
    const lost = [];
    const alone = await load({ workers: 1 });
    let told;
    const death = new Promise((resolve) => (told = resolve));
    const onWorkerLost = (reason) => told(lost.push(reason));
    const engine = await load({ workers: 2, onWorkerLost });
    const want = await explained(alone);
    const spoken = new Set();
    const { postMessage } = Worker.prototype;
    let dead = null;
    Worker.prototype.postMessage = function (message, ...transfer) {
      spoken.add(this);
      const dies = !dead && spoken.size === 2 && message instanceof Uint8Array;
      if (dies) dead = this;
      postMessage.call(this, dies ? { module: null } : message, ...transfer);
    };
    const answers = [];
    do answers.push(await explained(engine));
    while (!dead);
    await death;
    answers.push(await explained(engine));
    Worker.prototype.postMessage = postMessage;
    alone.close();
    engine.close();
    return { want, answers, lost, spoken: spoken.size };
  },

  async explain(name, index, options) {
    const { model, set } = engines[name];
    const bag = await set.bag(index);
    const report = await model.explain(bag, options);
    bag.close();
    return report;
  },

  async judge(name, index, options) {
    const { model, set } = engines[name];
    const bag = await set.bag(index);
    const judged = await model.judge(bag, await model.explain(bag, { method: "single" }), options);
    bag.close();
    return judged;
  },

  /**
   * Cancels a lengthy explanation while another engine explains the same: how the cancelled one
   * ended, the milliseconds until the next one was answered, and whether the other had ended by then.
   */
  async cancel(wide, lengthy) {
    const [own, other] = [await start({ workers: 1 }), await start({ workers: 1 })];
    const { engine, model, set } = own;
    const open = ({ engine }) => engine.bag(new Blob([wide]), { name: "wide.csv" });
    const bag = await open(own);
    const one = await set.bag(0);
    let ended = false;
    other.model.explain(await open(other), lengthy).then(
      () => (ended = true),
      () => {},
    );
    const controller = new AbortController();
    let running;
    const started = new Promise((resolve) => (running = resolve));
    const explaining = model.explain(bag, {
      ...lengthy,
      signal: controller.signal,
      onProgress: running,
    });
    const caught = explaining.then(
      () => "finished",
      (error) => (error instanceof BagscopeError ? error.kind : String(error)),
    );
    await started;
    const from = performance.now();
    controller.abort();
    const kind = await caught;
    await model.explain(one, { method: "single" });
    const free = performance.now() - from;
    const before = !ended;
    engine.close();
    other.engine.close();
    return { kind, free, before };
  },

  /** Paints a drawing, and returns how many pixels of its cells are not those of its PNG file. */
  async draw(name, index, options) {
    const { engine, model, set } = engines[name];
    const bag = await set.bag(index);
    const report = await model.explain(bag, { method: "single", output: "logit" });
    const picture = await engine.draw(bag, report, options);
    const canvas = new OffscreenCanvas(1, 1);
    picture.paint(canvas);
    const file = new OffscreenCanvas(picture.width, picture.height);
    file.getContext("2d").drawImage(await createImageBitmap(new Blob([await picture.png()])), 0, 0);
    let [pixels, others] = [0, 0];
    for (const { x, y, width, height } of picture.cells) {
      const [a, b] = [canvas, file].map(
        (c) => c.getContext("2d").getImageData(x, y, width, height).data,
      );
      pixels += a.length / 4;
      for (let i = 0; i < a.length; i += 4)
        others += [0, 1, 2].some((c) => Math.abs(a[i + c] - b[i + c]) > 2);
    }
    return {
      size: [canvas.width, canvas.height],
      whole: [picture.width, picture.height],
      pixels,
      others,
    };
  },

  /**
   * Milliseconds of questions about 8 concepts of a bag of 10,000 vectors (512), which is encoded
   * before: each has other concepts, so that no value of a coalition is kept.
   */
  async concepts(model) {
    const shape = [10_000, 512];
    const header = `{'descr': '<f4', 'fortran_order': False, 'shape': (${shape}), }`.padEnd(117);
    const head = Uint8Array.from(`\x93NUMPY\x01\0\x76\0${header}\n`, (c) => c.charCodeAt(0));
    const values = Float32Array.from({ length: shape[0] * shape[1] }, (_, i) => Math.sin(i * i));
    const engine = await load();
    const opened = await engine.open(await bytesOf(model));
    const bag = await engine.bag(new File([head, values], "bag.npy"));
    await opened.score(bag, [[0]]);
    const times = [];
    for (let round = 0; round < 7; round++) {
      const one = (_, j) => `c${j}=${1000 * j + 10 * round}-${1000 * j + 700}`;
      const concepts = Array.from({ length: 8 }, one).join(";");
      const from = performance.now();
      await opened.groups(bag, { class: 0, concepts, random: 0 });
      times.push(performance.now() - from);
    }
    engine.close();
    return times;
  },

  async broken(name) {
    try {
      await engines[name].engine.open(new Uint8Array(100));
    } catch (error) {
      return { kind: error.kind, message: error.message };
    }
  },
};
