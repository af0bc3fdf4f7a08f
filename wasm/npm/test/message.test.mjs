// The TypeScript side of the wire, held to the bytes that the Go side writes.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { bundled, npm, root } from "./support.mjs";

const { decode, encode } = await bundled(`export * from "${path.join(npm, "src/message.ts")}";`);

const vectors = JSON.parse(
  readFileSync(path.join(root, "wasm/wire/testdata/vectors.json"), "utf8"),
);
const fromHex = (text) => Uint8Array.from(Buffer.from(text, "hex"));

/** A value as the vectors write it. */
function plain(value) {
  if (typeof value === "bigint") return String(value);
  if (typeof value === "number" && !Number.isFinite(value))
    return { Infinity: "+Inf", "-Infinity": "-Inf" }[value] ?? "NaN";
  if (ArrayBuffer.isView(value) || Array.isArray(value)) return Array.from(value, plain);
  if (value && typeof value === "object")
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, plain(v)]));
  return value;
}

/** float32 values as JSON has them in 64 bits. */
function rounded(value) {
  if (typeof value === "number") return Math.fround(value);
  if (Array.isArray(value)) return value.map(rounded);
  if (value && typeof value === "object")
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, rounded(v)]));
  return value;
}

test("every message is read and written as in Go", () => {
  assert.ok(vectors.Messages.length > 40);
  for (const { Kind, ID, Hex, Body } of vectors.Messages) {
    const bytes = fromHex(Hex);
    const message = decode(bytes);
    assert.equal(message.kind, Kind);
    assert.equal(message.id, ID);
    const single = ["values", "drawn"].includes(Kind) ? rounded : (v) => v;
    assert.deepEqual(single(plain(message.body)), single(Body), Kind);
    assert.equal(Buffer.from(encode(Kind, ID, message.body)).toString("hex"), Hex, Kind);
  }
});

test("no prefix of a message is read", () => {
  for (const { Hex, Kind } of vectors.Messages) {
    const bytes = fromHex(Hex);
    for (let n = 0; n < bytes.length; n++)
      assert.throws(() => decode(bytes.subarray(0, n)), Kind + " cut to " + n);
  }
});

test("what Go refuses is refused", () => {
  assert.ok(vectors.Refused.length > 10);
  for (const { Name, Hex, Reason } of vectors.Refused)
    assert.throws(
      () => decode(fromHex(Hex)),
      (error) => error.message.includes(Reason),
      Name,
    );
});

test("a message longer than the first buffer", () => {
  const bytes = new Uint8Array(1000).fill(7);
  for (let cut = 200; cut < 300; cut++) {
    const name = "x".repeat(cut);
    const rest = { limits: null, external: [], via: "", target: null };
    const given = { name, card: "{}", plain: true, bytes, ...rest };
    assert.deepEqual(decode(encode("openModel", 1, given)).body, given);
  }
});

test("numbers that the wire cannot carry are refused", () => {
  for (const handle of [0.5, NaN, 2 ** 53])
    assert.throws(() => encode("release", 1, { handle }), RangeError);
});

/** A full message of a kind, as the vectors have it. */
const full = (kind) => decode(fromHex(vectors.Messages.findLast((m) => m.Kind === kind).Hex)).body;

test("seeds are numbers as far as these are exact, and bigints beyond", () => {
  const request = (seed) =>
    encode("sets", 1, { ...full("sets"), ask: { ...full("sets").ask, seed } });
  for (const [seed, read] of [
    [7, 7],
    [7n, 7],
    [2n ** 53n - 1n, 2 ** 53 - 1],
    [2n ** 53n, 2n ** 53n],
    [2n ** 64n - 1n, 2n ** 64n - 1n],
  ])
    assert.equal(decode(request(seed)).body.ask.seed, read);
  for (const seed of [-1, 0.5, 2 ** 53, NaN, -1n, 2n ** 64n, "7", null])
    assert.throws(() => request(seed), { field: "seed", message: /neither a whole number/ });
});

test("a missing number or list is null", () => {
  const report = full("explained");
  Object.assign(report.explanations[0], { r2: null, stderr: null });
  report.trust[0].correlation = [null, 0.5, null];
  assert.deepEqual(decode(encode("explained", 1, report)).body, report);
});

test("an option that is not given is null", () => {
  const { body } = decode(encode("survey", 1, { ...full("survey"), read: { stride: 0 } }));
  const { stride, ...absent } = body.read;
  assert.equal(stride, 0);
  assert.ok("array" in absent && Object.values(absent).every((value) => value === null));
});
