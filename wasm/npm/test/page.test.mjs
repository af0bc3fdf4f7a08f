// A page that is one file: written by the package's command, opened from a disk, without a network.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { check } from "../../../tools/dev/sizes/sizes.mjs";
import { needsBrowser, openBrowser } from "./browser.mjs";
import { npm, root } from "./support.mjs";

const folder = mkdtempSync(path.join(os.tmpdir(), "bagscope-page-"));
after(() => rmSync(folder, { recursive: true }));
const digits = [
  "--model",
  path.join(root, "examples/digits/model.onnx"),
  "--bag",
  path.join(root, "examples/digits/bags.npz"),
];

function write(...flags) {
  const { status, stderr, stdout } = spawnSync(
    process.execPath,
    [path.join(npm, "bin/bagscope-page.mjs"), ...flags],
    {
      encoding: "utf8",
    },
  );
  return { status, stderr, stdout };
}

describe("a page that is one file", () => {
  const file = path.join(folder, "page.html");

  test("is written, and has its recorded size", () => {
    const title = 'Digits & <script>"bags"</script>';
    const { status, stderr } = write(
      ...digits,
      "--out",
      file,
      "--settings",
      "mnist",
      "--index",
      "3",
      "--title",
      title,
    );
    assert.equal(stderr, "");
    assert.equal(status, 0);
    const html = readFileSync(file, "utf8");
    check("page in one file", html.length);
    assert.match(html, /<title>Digits &amp; &lt;script&gt;/);
    assert.match(html, /<img src="data:image\/png;base64,/, "a picture for those without script");
    assert.doesNotMatch(html, /(src|href)="(?!data:)/, "another file");
    const shown = /<pre>([^]*?)<\/pre>/.exec(html)[1];
    const marks = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"' };
    assert.equal(
      shown.replace(/&\w+;/g, (mark) => marks[mark]),
      readFileSync(path.join(npm, "dist/LICENSES.txt"), "utf8"),
    );
    assert.match(shown, /Copyright 2009 The Go Authors/);
  });

  test("explains its bags from a disk, and asks nobody", needsBrowser, async () => {
    const browser = await openBrowser();
    try {
      const context = await browser.newContext({ offline: true });
      const page = await context.newPage();
      const [requests, faults] = [[], []];
      page.on("request", (request) => requests.push(request.url()));
      page.on("pageerror", (error) => faults.push(String(error)));
      page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
      await page.goto(pathToFileURL(file).href);
      const prediction = async () =>
        (
          await page.waitForFunction(
            () => document.querySelector("bag-explainer").prediction?.prediction,
          )
        ).jsonValue();
      assert.ok((await prediction())[0] > 0.5, "bag 3 has neither an 8 nor a 9");
      await page.selectOption("#index", { index: 4 });
      await page.waitForFunction(
        () => document.querySelector("bag-explainer").prediction.prediction[1] > 0.9,
      );
      assert.deepEqual(
        requests.filter((url) => !url.startsWith("blob:")),
        [pathToFileURL(file).href],
      );
      const refused = await page.evaluate(() =>
        fetch("https://example.org/").then(String, (e) => e.name),
      );
      assert.equal(refused, "TypeError", "its policy forbids requests");
      assert.deepEqual(
        faults.filter((text) => !text.includes("example.org")),
        [],
      );
    } finally {
      await browser.close();
    }
  });

  test("its script and the worker's do nothing in another page", needsBrowser, async () => {
    const browser = await openBrowser();
    try {
      const page = await browser.newPage();
      const faults = [];
      page.on("pageerror", (error) => faults.push(String(error)));
      const script = (name) =>
        `<script src="${pathToFileURL(path.join(npm, "dist", name)).href}"></script>`;
      const other = path.join(folder, "other.html");
      writeFileSync(other, `<body>${["worker.js", "page.js"].map(script).join("")}</body>`);
      await page.goto(pathToFileURL(other).href);
      const kept = await page.evaluate(async () => {
        const arrived = new Promise((resolve) => addEventListener("message", resolve));
        window.postMessage({ module: null });
        await arrived;
        return [typeof fetch, typeof Worker, onmessage, customElements.get("bag-explainer")];
      });
      assert.deepEqual(kept, ["function", "function", null, undefined]);
      assert.deepEqual(faults, []);
    } finally {
      await browser.close();
    }
  });

  for (const [what, flags, code, words] of [
    ["a flag that nobody knows", [...digits, "--out", "x.html", "--colour", "red"], 2, /--colour/],
    ["a flag that is missing", [...digits], 2, /--out is missing/],
    [
      "a bag beyond the last",
      [...digits, "--out", "x.html", "--index", "6"],
      1,
      /there is no bag 6: the file holds 6/,
    ],
    ["a method that nobody knows", [...digits, "--out", "x.html", "--method", "magic"], 1, /magic/],
    [
      "a model that is not there",
      ["--model", "no.onnx", "--bag", digits[3], "--out", "x.html"],
      1,
      /no\.onnx/,
    ],
  ])
    test(`${what} is said, and nothing is written`, () => {
      const out = path.join(folder, "none.html");
      const { status, stderr } = write(...flags.map((flag) => (flag === "x.html" ? out : flag)));
      assert.equal(status, code);
      assert.match(stderr, words);
      assert.ok(!existsSync(out));
    });
});
