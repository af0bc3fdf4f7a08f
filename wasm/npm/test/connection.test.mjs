// Requests and answers over a channel that a test holds in its hands.
import assert from "node:assert/strict";
import path from "node:path";
import { describe, test } from "node:test";
import { bundled, npm, rejection } from "./support.mjs";

const { Connection, decode, encode, Resource, ask } = await bundled(
  `
  export * from "${path.join(npm, "src/connection.ts")}";
  export * from ` +
    `"${path.join(npm, "src/message.ts")}";
  export * from ` +
    `"${path.join(npm, "src/resource.ts")}";
`,
);

/**
 * A program that answers hello, opens models under rising handles, and leaves the rest to the test.
 */
function fakeProgram() {
  const fake = { starts: 0, sent: [], closed: 0 };
  fake.start = async (events) => {
    fake.starts++;
    fake.events = events;
    let handles = 0;
    return {
      send(bytes) {
        const message = decode(bytes);
        fake.sent.push(message);
        if (message.kind === "openModel")
          fake.answer("modelOpened", message.id, { handle: ++handles, ...opened });
      },
      close: () => fake.closed++,
    };
  };
  fake.answer = (kind, id, body) =>
    queueMicrotask(() => fake.events.onMessage(encode(kind, id, body)));
  fake.until = async (kind) => {
    for (;;) {
      const found = fake.sent.find((m) => m.kind === kind);
      if (found) return found;
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return fake;
}

const tiny = {
  name: "m",
  card: "",
  plain: false,
  limits: null,
  bytes: new Uint8Array(),
  external: [],
  via: "",
  target: null,
};
const tensors = {
  inputs: [],
  outputs: [],
  operators: [],
  classes: [],
  truth: [],
  notes: [],
  heads: [],
  covariates: [],
  featureNames: [],
  folds: [],
};
const numbers = { opset: 13, parameters: 0, instanceAxis: 0, negative: -1 };
const words = { sha256: "", input: "", output: "", scale: "logits", scaleFrom: "", inherent: "" };
const opened = {
  info: { name: "m", noun: { one: "", several: "" }, ...words, ...tensors, ...numbers },
  patch: null,
  preprocess: null,
  encoder: "",
  columns: "",
};

describe("connection", () => {
  test("answers find their requests", async () => {
    const fake = fakeProgram();
    const connection = new Connection(fake.start);
    const first = connection.request("getValues", { bag: 1 });
    const second = connection.request("getValues", { bag: 2 });
    await fake.until("getValues");
    await new Promise((resolve) => setImmediate(resolve));
    const [a, b] = fake.sent;
    fake.answer("values", b.id, { values: Float32Array.of(2) });
    fake.answer("values", a.id, { values: Float32Array.of(1) });
    fake.answer("values", 99, { values: Float32Array.of(3) });
    assert.deepEqual([...(await first).values, ...(await second).values], [1, 2]);
    assert.equal(fake.starts, 1);
  });

  test("an abort is told to the program", async () => {
    const fake = fakeProgram();
    const controller = new AbortController();
    const pending = new Connection(fake.start).request(
      "getValues",
      { bag: 1 },
      { signal: controller.signal },
    );
    const { id } = await fake.until("getValues");
    controller.abort();
    assert.equal((await rejection(pending)).kind, "cancelled");
    assert.equal((await fake.until("cancel")).body.request, id);
    fake.answer("values", id, { values: new Float32Array() }); // too late, and nobody minds
  });

  test("a program of another release", async () => {
    const fake = fakeProgram();
    const pending = new Connection(fake.start).request("hello", {});
    await fake.until("hello");
    fake.events.onMessage(Uint8Array.of(99, 1, 0, 0, 0, 0));
    const error = await rejection(pending);
    assert.equal(error.kind, "internal");
    assert.match(error.message, /different releases/);
    assert.equal(fake.closed, 1);
  });

  test("a program that cannot be started is started again for the next request", async () => {
    const fake = fakeProgram();
    let fail = true;
    const connection = new Connection(async (events) => {
      if (fail) throw new Error("no worker");
      return fake.start(events);
    });
    assert.match((await rejection(connection.request("hello", {}))).message, /no worker/);
    fail = false;
    const pending = connection.request("getValues", { bag: 1 });
    fake.answer("values", (await fake.until("getValues")).id, { values: Float32Array.of(4) });
    assert.deepEqual([...(await pending).values], [4]);
  });

  test("closing while the program starts", async () => {
    const fake = fakeProgram();
    const connection = new Connection(fake.start);
    const pending = connection.request("hello", {});
    connection.close();
    assert.equal((await rejection(pending)).kind, "cancelled");
  });

  test("handles of a program that ended are opened again, and never released in the next", async () => {
    const fake = fakeProgram();
    const connection = new Connection(fake.start);
    const open = () => connection.request("openModel", tiny);
    const [model, other] = [
      new Resource(connection, "model", open),
      new Resource(connection, "model", open),
    ];
    await model.open();
    await other.open();
    const values = () => ask("getValues", [model], (bag) => ({ bag }));
    const lost = rejection(values());
    await fake.until("getValues");
    fake.events.onExit("it died");
    assert.match((await lost).message, /it died/);

    other.close(); // its handle was 2, and is nobody's now
    fake.sent.length = 0;
    const again = values();
    const request = await fake.until("getValues");
    assert.equal(request.body.bag, 1);
    fake.answer("values", request.id, { values: Float32Array.of(5) });
    assert.deepEqual([...(await again).values], [5]);
    assert.deepEqual(
      fake.sent.map((m) => m.kind),
      ["openModel", "getValues"],
    );
    assert.equal(fake.starts, 2);
  });

  test("a program that ends between opening and asking", async () => {
    const fake = fakeProgram();
    const connection = new Connection(fake.start);
    let opened = 0;
    const model = new Resource(connection, "model", async () => {
      const answer = await connection.request("openModel", tiny);
      if (++opened === 1) fake.events.onExit("it died");
      return answer;
    });
    const pending = ask("getValues", [model], (bag) => ({ bag }));
    fake.answer("values", (await fake.until("getValues")).id, { values: Float32Array.of(6) });
    assert.deepEqual([...(await pending).values], [6]);
    assert.equal(opened, 2);
  });
});
