// What the tests share: where files lie, how numbers are compared.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

export const npm = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
export const root = path.resolve(npm, "../..");
export const parity = path.join(root, "wasm/parity/testdata");

/** The folder of committed and fetched test files. */
export const testdata = path.join(root, "testdata");

export const tinyModel = () => readFileSync(path.join(parity, "tiny.onnx"));
export const tinyBags = () => readFileSync(path.join(parity, "tiny.csv"));

/** A bag of 100 instances for the tiny model, and what takes seconds with it. */
export const wideBag = () =>
  Buffer.from(
    "bag,f1,f2,f3,f4,f5,f6\n" +
      Array.from({ length: 100 }, (_, i) => [
        0,
        ...[1, 2, 3, 4, 5, 6].map((j) => Math.sin(7 * i + 3 * j).toFixed(3)),
      ])
        .map((row) => row.join() + "\n")
        .join(""),
  );
export const lengthy = { method: "all", samples: 200_000 };

/**
 * Starts the lengthy explanation in an engine of its own, where nobody cancels it: an engine that
 * answers before it ends was not kept busy by another one. Ended is set when it ends.
 */
export async function alone(options, opening) {
  const { load } = await import("../dist/node.js");
  const engine = await load(options);
  const model = await engine.open(tinyModel(), opening);
  const bag = await engine.bag(wideBag(), { name: "wide.csv" });
  const run = { ended: false, close: () => engine.close() };
  model.explain(bag, lengthy).then(
    () => (run.ended = true),
    () => {},
  );
  return run;
}

/**
 * A model whose instances look at each other, so that coalitions have values of their members: where
 * it lies and a bag of 40.
 */
export const attending = "models/zoo/transformer_cls/model.onnx";
export const attendingBag = () => {
  const columns = Array.from({ length: 48 }, (_, j) => j);
  const rows = Array.from({ length: 40 }, (_, i) => [
    0,
    ...columns.map((j) => Math.sin(i * j + i)),
  ]);
  return [["bag", ...columns.map((j) => `f${j}`)], ...rows]
    .map((row) => row.join() + "\n")
    .join("");
};

export const cases = JSON.parse(readFileSync(path.join(parity, "cases.json"), "utf8"));
export const expected = JSON.parse(readFileSync(path.join(parity, "expected.json"), "utf8"));

/**
 * Native and wasm scores differ by no more than 1e-5 of the largest score or of 1 (see
 * wasm/parity/doc.go), so each by no more than half of it from the committed ones.
 */
export const promised = 5e-6;

/** The largest difference between two lists. */
export function furthest(a, b) {
  if (a.length !== b.length) return Infinity;
  let far = 0;
  for (let i = 0; i < a.length; i++) {
    const d = Math.abs(a[i] - b[i]);
    if (Number.isNaN(d)) return NaN;
    far = Math.max(far, d);
  }
  return far;
}

/** The largest difference, relative to the largest number of `want`, or to 1 if that is larger. */
function relative(got, want) {
  return furthest(got, want) / Math.max(1, ...want.map(Math.abs));
}

/** The options of explain that a case of parity stands for. */
export function explainOptions(request) {
  return { ...request, method: "all", trace: true };
}

/** Says how a report differs from the native answer, or "". */
export function differs(report, answer) {
  const coalitions = createHash("sha256")
    .update(report.coalitions.map((row) => row + "\n").join(""))
    .digest("hex");
  if (report.evaluations !== answer.evaluations || coalitions !== answer.coalitions)
    return "other coalitions";
  if (report.skipped.map((s) => s.method).join() !== answer.skipped.join())
    return "other methods are skipped";
  if (!(relative(report.prediction, answer.prediction) <= promised)) return "another prediction";
  if (report.explanations.length !== answer.explanations.length) return "other explanations";
  for (const [i, e] of report.explanations.entries()) {
    const want = answer.explanations[i];
    if (e.method !== want.method || e.class !== want.class) return "another order of explanations";
    const d = relative(e.scores, want.scores);
    if (!(d <= promised)) return `${e.method}, class ${e.class}: off by ${d}`;
  }
  return "";
}

/** The numbers in a .npy file of little-endian float32 or int64. */
export function readNpy(file) {
  const bytes = readFileSync(file);
  const start = 10 + bytes.readUInt16LE(8);
  const type = /'descr': '([^']*)'/.exec(bytes.toString("latin1", 10, start))[1];
  const body = bytes.buffer.slice(bytes.byteOffset + start, bytes.byteOffset + bytes.length);
  if (type === "<f4") return [...new Float32Array(body)];
  if (type === "<i8") return [...new BigInt64Array(body)].map(Number);
  throw new Error(`${file} holds ${type}`);
}

/** Milliseconds that a test waits for one thing: longer than a busy machine needs. */
export const patience = 90_000;

/** Waits until a condition holds. */
export async function until(holds) {
  for (const end = Date.now() + patience; !(await holds());) {
    if (Date.now() > end) throw new Error(`it does not hold after ${patience} ms: ${holds}`);
    await new Promise((next) => setTimeout(next, 10));
  }
}

/** The rejection of a promise. */
export async function rejection(promise) {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("it was not rejected");
}

/**
 * Modules of src, which the package keeps to itself, by a program that exports what a test needs of
 * them.
 */
export async function bundled(contents) {
  const stdin = { contents, resolveDir: npm, loader: "ts" };
  const how = { bundle: true, format: "esm", target: "es2022", write: false };
  const { outputFiles } = await build({ stdin, ...how });
  return import(
    `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`
  );
}
