// Slides and DICOM files of JPEG 2000, which a module beside the program decodes.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { load } from "../dist/node.js";
import { host, needsBrowser, openBrowser } from "./browser.mjs";
import { parity, rejection, root } from "./support.mjs";

const folder = path.join(root, "core/slide/testdata");
const read = (name) => readFileSync(path.join(folder, name));
const expected = JSON.parse(readFileSync(path.join(parity, "pixels.json"), "utf8"));
const dicom = (name) => readFileSync(path.join(root, "testdata/corpus", name));
const patch = { size: 8, stride: 8, background: 0 };

/** The SHA-256 of the pixels of each level. */
async function hashes(engine, name) {
  const slide = await engine.slide(new Blob([read(name)]), { name });
  const sums = [];
  for (const [i, { width, height }] of slide.levels.entries()) {
    const { rgba } = await slide.region(i, 0, 0, width, height);
    sums.push(createHash("sha256").update(rgba).digest("hex"));
  }
  slide.close();
  return sums;
}

/** A slide whose first tile claims the most layers, so that the decoder stops. */
function endless() {
  const bytes = read("aperio_33005.svs");
  const style = bytes.indexOf(Buffer.of(0xff, 0x52));
  bytes.writeUInt16BE(65535, style + 6);
  return bytes;
}

for (const [where, options] of Object.entries({ "a thread": {}, "this thread": { worker: false } }))
  describe(`JPEG 2000 in ${where} of Node`, () => {
    let engine;
    before(async () => (engine = await load(options)));
    after(() => engine.close());

    for (const name of Object.keys(expected))
      test(`${name} has the pixels that it has natively`, async () => {
        assert.deepEqual(await hashes(engine, name), expected[name]);
      });

    test("a DICOM file without loss has the values of the uncompressed one", async () => {
      const [plain, packed] = await Promise.all(
        ["picture.dcm", "jpeg2000.dcm"].map(async (name) =>
          (await engine.bag(dicom(name), { name, patch })).values(),
        ),
      );
      assert.ok(plain.length > 100);
      assert.deepEqual(packed, plain);
    });

    test("after a damaged tile, at which the decoder stops, others are decoded", async () => {
      const slide = await engine.slide(endless(), { name: "endless.svs" });
      const error = await rejection(slide.region(0, 0, 0, 10, 10));
      assert.equal(error.kind, "format");
      assert.match(error.message, /endless\.svs.*stopped at damaged data/);
      slide.close();
      const [name] = Object.keys(expected);
      assert.deepEqual(await hashes(engine, name), expected[name]);
    });
  });

describe("without the decoder", () => {
  for (const [codecURL, why] of [
    [null, /the decoder of JPEG 2000 is not part of/],
    [path.join(folder, "none.wasm"), /the decoder of JPEG 2000 cannot be loaded: .*none\.wasm/],
  ])
    test(`at ${codecURL} files say so, and the engine goes on`, async () => {
      const engine = await load({ codecURL });
      const error = await rejection(hashes(engine, "aperio_33005.svs"));
      assert.equal(error.kind, "unavailable");
      assert.match(error.message, /aperio_33005\.svs: /);
      assert.match(error.message, why);
      const picture = await rejection(engine.bag(dicom("jpeg2000.dcm"), { name: "a.dcm", patch }));
      assert.deepEqual([picture.kind, why.test(picture.message)], ["unavailable", true]);
      assert.match((await rejection(engine.fetchDecoder())).message, why);
      assert.ok(await engine.bag(dicom("picture.dcm"), { name: "b.dcm", patch }));
      engine.close();
    });
});

describe("JPEG 2000 in Chromium", needsBrowser, () => {
  let server, browser;
  before(async () => {
    server = await host();
    browser = await openBrowser();
  });
  after(async () => {
    await browser?.close();
    server?.close();
  });

  for (const [where, options] of [
    ["a worker", {}],
    ["the page's thread", { worker: false }],
  ])
    test(`in ${where} it is fetched once, when a file needs it, and has the same pixels`, async () => {
      const page = await browser.newPage();
      const asked = [];
      page.on("request", (r) => r.url().endsWith("/codec.wasm") && asked.push(r.url()));
      await page.goto(`${server.url}wasm/npm/test/page.html`);
      await page.evaluate(async (options) => {
        const { load } = await import("/wasm/npm/dist/index.js");
        globalThis.engine = await load(options);
      }, options);
      assert.equal(asked.length, 0);
      assert.deepEqual(await page.evaluate(sums, Object.keys(expected)), expected);
      assert.equal(asked.length, 1);
      await page.close();
    });

  test("a page that has fetched it needs no connection", async () => {
    const page = await browser.newPage();
    await page.goto(`${server.url}wasm/npm/test/page.html`);
    const names = Object.keys(expected);
    const refused = await page.evaluate(async (names) => {
      const { load } = await import("/wasm/npm/dist/index.js");
      globalThis.engine = await load({ workers: 1 });
      await globalThis.engine.fetchDecoder();
      globalThis.files = {};
      for (const name of names)
        globalThis.files[name] = await (await fetch(`/core/slide/testdata/${name}`)).blob();
      const meta = document.createElement("meta");
      meta.httpEquiv = "Content-Security-Policy";
      meta.content = "connect-src 'none'";
      document.head.append(meta);
      return fetch("/wasm/npm/dist/codec.wasm").catch(() => "refused");
    }, names);
    assert.equal(refused, "refused");
    assert.deepEqual(await page.evaluate(sums, names), expected);
    await page.close();
  });
});

/** In a page: the SHA-256 of the pixels of each level of slides. */
async function sums(names) {
  const hex = (sum) =>
    Array.from(new Uint8Array(sum), (b) => b.toString(16).padStart(2, "0")).join("");
  const all = {};
  for (const name of names) {
    const file =
      globalThis.files?.[name] ?? (await (await fetch(`/core/slide/testdata/${name}`)).blob());
    const slide = await globalThis.engine.slide(file, { name });
    all[name] = [];
    for (const [i, { width, height }] of slide.levels.entries()) {
      const { rgba } = await slide.region(i, 0, 0, width, height);
      all[name].push(hex(await crypto.subtle.digest("SHA-256", rgba)));
    }
    slide.close();
  }
  return all;
}
