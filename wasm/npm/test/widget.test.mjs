// The widget of notebooks in Chromium, with a notebook that others wrote, and a kernel that ends or
// whose messages lack parts.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { host, needsBrowser, openBrowser } from "./browser.mjs";

describe("the widget of notebooks", needsBrowser, () => {
  let site, browser, page, requests, faults;

  before(async () => {
    site = await host();
    browser = await openBrowser();
  });
  after(async () => {
    await browser?.close();
    site?.close();
  });

  /** Opens a page whose `show` draws a widget of a state and of what its kernel answers. */
  beforeEach(async () => {
    await page?.context().close();
    page = await (await browser.newContext()).newPage();
    const notebook = `${site.url}notebook`;
    await page.route(notebook, (route) =>
      route.fulfill({ contentType: "text/html", body: "<!doctype html><title>A notebook</title>" }),
    );
    await page.goto(notebook);
    await page.evaluate(async () => {
      const bytes = async (name) => new DataView(await (await fetch(name)).arrayBuffer());
      const packed = (await fetch("/wasm/npm/dist/bagscope.wasm")).body.pipeThrough(
        new CompressionStream("gzip"),
      );
      const files = {
        engine: [new DataView(await new Response(packed).arrayBuffer())],
        files: await Promise.all(
          ["model.onnx", "bags.npz"].map((name) => bytes(`/examples/digits/${name}`)),
        ),
      };
      const names = { engine: ["bagscope.wasm.gz"], files: ["model.onnx", "bags.npz"] };
      const { default: widget } = await import("/wasm/npm/dist/widget.js");
      window.files = files.files;
      window.show = (state = {}, answers = {}) => {
        const model = new EventTarget();
        const listeners = new Map();
        const all = { attributes: { loading: "eager" }, selected: null, removed: [], ...state };
        const el = document.body.appendChild(document.createElement("div"));
        widget.render({
          el,
          model: {
            get: (name) => all[name],
            set: (name, value) => (all[name] = value),
            save_changes: () => {},
            on(event, listener) {
              const heard = ({ detail }) => listener(...detail);
              listeners.set(listener, heard);
              model.addEventListener(event, heard);
            },
            off: (event, listener) => model.removeEventListener(event, listeners.get(listener)),
            send({ ask }) {
              const answer = answers[ask] ?? [{ answer: ask, names: names[ask] }, files[ask]];
              queueMicrotask(() =>
                model.dispatchEvent(new CustomEvent("msg:custom", { detail: answer })),
              );
            },
          },
        });
        return el.firstChild;
      };
    });
    [requests, faults] = [[], []];
    page.on("request", (request) => requests.push(request.url()));
    page.on("pageerror", (error) => faults.push(String(error)));
    page.on("dialog", (dialog) => {
      faults.push(dialog.message());
      void dialog.dismiss();
    });
  });

  /** Waits until the element at a place shows an explanation. */
  const explained = (at = 0) =>
    page.waitForFunction((at) => document.querySelectorAll("bag-explainer")[at].report, at);
  const problem = (text) =>
    page.locator("bag-explainer .problem").filter({ hasText: text }).waitFor();

  test("a notebook sets no scripts, styles and addresses", async () => {
    const names = await page.evaluate(() => {
      const address = "https://other.example/";
      const attributes = {
        ...{ loading: "eager", onfocus: "alert(1)", tabindex: "0", style: "position:fixed" },
        ...{ model: address, bag: address, card: address, "a b": "" },
      };
      const element = show({ attributes, picture: "<svg onload=alert(1)>", alt: 7 });
      element.focus();
      return element.getAttributeNames();
    });
    await explained();
    assert.deepEqual(names, ["loading"]);
    assert.deepEqual(
      requests.filter((url) => !url.startsWith("blob:")),
      [],
    );
    assert.deepEqual(faults, []);
  });

  const incomplete = {
    "has no files": [[{ answer: "files", names: [] }], "the model file is not ONNX: it is empty"],
    "has no bag": [[{ answer: "files", names: [] }, ["model"]], "it is empty"],
    "has texts as files": [[{ answer: "files" }, ["text", "text"]], "not ONNX: it is text"],
  };
  for (const [name, [answer, text]] of Object.entries(incomplete))
    test(`a message that ${name} is a problem in words`, async () => {
      await page.evaluate(([message, buffers]) => {
        const sent = buffers?.map((part) => (part === "model" ? files[0] : part));
        show({}, { files: [message, sent] });
      }, answer);
      await problem(text);
      assert.deepEqual(faults, []);
    });

  test("messages of another kind are ignored, and names may be missing", async () => {
    await page.evaluate(() => show({}, { files: [{ answer: "files", names: null }, files] }));
    await page.evaluate(() => show({}, { files: [null] }));
    await explained();
    assert.deepEqual(faults, []);
  });

  test("a widget whose kernel has ended does not stop the others", async () => {
    await page.evaluate(() => {
      const ended = { files: [{}], engine: [{}] };
      for (const answers of [ended, {}, {}, ended]) show({}, answers);
    });
    await explained(1);
    await explained(2);
    assert.deepEqual(faults, []);
  });

  test("removed instances that the bag lacks are a problem in words", async () => {
    await page.evaluate(() => show({ removed: [1e9], selected: 1e12 }));
    await problem("the bag has no instance 1000000000, only 0 to 28");
    assert.deepEqual(faults, []);
  });
});
