// <bag-explainer> in Chromium, from a static host that sends no headers, under a strict
// Content-Security-Policy.
import assert from "node:assert/strict";
import { readFile, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { defaultMethod, load } from "../dist/node.js";
import { host, needsBrowser, openBrowser } from "./browser.mjs";
import { root, until } from "./support.mjs";

const digits = (name) => readFile(path.join(root, "examples/digits", name));

describe("the element", needsBrowser, () => {
  let site, browser, page;
  let requests, faults;

  before(async () => {
    site = await host();
    browser = await openBrowser();
  });
  after(async () => {
    await browser?.close();
    site?.close();
  });

  /** Opens the page with two elements, or what becomes of it. */
  async function visit(options = {}, changed = (html) => html, before = () => {}) {
    [requests, faults] = [[], []];
    page = await (
      await browser.newContext({ viewport: { width: 1000, height: 800 }, ...options })
    ).newPage();
    await page.addInitScript(before);
    page.on("request", (request) =>
      requests.push(new URL(request.url()).pathname.split("/").pop()),
    );
    page.on("pageerror", (error) => faults.push(String(error)));
    page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
    await page.route("**/page.html", async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: changed(await response.text()) });
    });
    await page.goto(`${site.url}wasm/npm/test/element/page.html`);
  }
  /** Waits until an element shows an explanation, and returns it. */
  const explained = (id) => page.waitForFunction((id) => document.getElementById(id).report, id);
  const bars = (id) => page.locator(`#${id} .prediction .value`).allInnerTexts();

  test("shows what stands in it until it is explained, and loads nothing before it is seen", async () => {
    await visit({}, (html) =>
      html.replace(/<bag-explainer\s+id="first"[^]*?<\/bag-explainer>/, ""),
    );
    assert.ok(await page.locator("#second > p").isVisible(), "the fallback");
    assert.deepEqual(
      requests.filter((name) => /wasm|onnx|npz|worker|index/.test(name)),
      [],
    );
    await page.locator("#second").scrollIntoViewIfNeeded();
    await explained("second");
    await page.locator("#second canvas").waitFor();
    assert.ok(!(await page.locator("#second > p").isVisible()), "the fallback has gone");
    assert.equal(
      await page.evaluate(() => document.getElementById("second").report.explanations.length),
      1,
    );
    assert.deepEqual(faults, []);
  });

  test("says how much of the engine has arrived, and what a click does; its addresses begin at base", async () => {
    const based = (html) =>
      html
        .replace('id="first"', 'id="first" base="/examples/digits"')
        .replaceAll(/(model|bag)="\/examples\/digits\/(.*?)"/g, '$1="$2"');
    await visit({}, based, () => {
      const seen = (window.seen = []);
      new MutationObserver(() => {
        const status = document.getElementById("first")?.shadowRoot?.querySelector(".status");
        if (status && !status.watched) {
          status.watched = new MutationObserver(() => seen.push(status.textContent));
          status.watched.observe(status, { childList: true });
        }
      }).observe(document, { childList: true, subtree: true, attributes: true });
      addEventListener("load", () => document.body.toggleAttribute("data-loaded"));
    });
    await explained("first");
    await page.locator("#first canvas").waitFor();
    assert.deepEqual(faults, []);
    const hint = "Selecting shows what one digit does; it can then be removed.";
    assert.equal(await page.locator("#first [role=status]").innerText(), hint);
    const shares = (await page.evaluate(() => window.seen)).flatMap((text) => {
      const [, megabytes, share] = /^Loading the engine, (.*) MB: (\d+) %$/.exec(text) ?? [];
      return share === undefined ? [] : [[Number(megabytes), Number(share)]];
    });
    const { size } = await stat(path.join(root, "wasm/npm/dist/bagscope.wasm"));
    assert.ok(shares.length > 0);
    for (const [megabytes] of shares) assert.ok(Math.abs(megabytes - size / 1e6) < 0.06);
    const parts = shares.map(([, share]) => share);
    assert.deepEqual(
      parts,
      parts.toSorted((a, b) => a - b),
    );
    assert.ok(
      parts.every((part) => part % 10 === 0 && part < 100),
      String(parts),
    );
  });

  /**
   * Puts a copy of an element at the beginning of the page, in the place of the last copy, and waits
   * until it is explained.
   */
  async function copy(of = "first") {
    faults = [];
    await page.evaluate((of) => {
      const element = document.getElementById(of).cloneNode(true);
      element.id = "own";
      document.getElementById("own")?.remove();
      document.querySelector("main").prepend(element);
    }, of);
    await page.locator("#own").scrollIntoViewIfNeeded();
    await explained("own");
    await page.locator("#own canvas").waitFor(); // it is drawn after the report is there
  }

  // The tests from here on share a page, and each has an element of its own.
  test(
    "says what the package says, and two elements share one engine, model and file of " + "bags",
    async () => {
      await visit();
      await explained("first");
      await page.locator("#second").scrollIntoViewIfNeeded();
      await explained("second");
      for (const name of ["bagscope.wasm", "model.onnx", "bags.npz"])
        assert.equal(requests.filter((r) => r === name).length, 1, `${name} of ${requests}`);
      const engine = await load();
      const model = await engine.open(await digits("model.onnx"));
      const bag = await engine.bag(await digits("bags.npz"), { name: "bags.npz", model });
      const want = await model.explain(bag, { settings: "mnist" });
      engine.close();
      assert.equal(want.explanations[0].method, defaultMethod);
      const got = await page.evaluate(() => document.getElementById("first").report);
      assert.equal(got.explanations.length, 4);
      for (const [i, { scores }] of want.explanations.entries())
        for (const [j, score] of scores.entries())
          assert.ok(
            Math.abs(got.explanations[i].scores[j] - score) < 1e-5,
            `class ${i}, instance ${j}`,
          );
      assert.deepEqual(faults, []);
    },
  );

  test("runs in a page that takes trusted scripts alone", async () => {
    const demand = "require-trusted-types-for 'script'; trusted-types bagscope; default-src";
    await visit({}, (html) => html.replace("default-src", demand));
    await explained("first");
    assert.deepEqual(
      faults.filter((text) => !text.includes("TrustedScriptURL")),
      [],
    );
  });

  test("says how far its picture can be trusted", async () => {
    await copy();
    const line = page.locator("#own .trust");
    await page.waitForFunction(() => document.getElementById("own").report.trust.length === 1);
    assert.match(
      await line.innerText(),
      /^Trust in the scores for an 8 and a 9: Removing the highest scores first lowers /,
    );
    const trust = await page.evaluate(() => document.getElementById("own").report.trust[0]);
    assert.deepEqual(Object.keys(trust.aopcr).sort(), [
      "consensus",
      "inherent",
      "one_removed",
      "single",
    ]);
    assert.equal(trust.correlation.length, 4);
    await page.evaluate(() => document.getElementById("own").setAttribute("trust", "off"));
    await line.waitFor({ state: "hidden" });
    assert.deepEqual(faults, []);
  });

  test("takes covariates as an object, and explains again when they change", async () => {
    const explainedAt = (inputs) =>
      page.evaluate(async (inputs) => {
        let element = document.getElementById("patient");
        const fresh = !element;
        element ??= document.createElement("bag-explainer");
        const report = new Promise((resolve) =>
          element.addEventListener("bag-explained", () => resolve(element.prediction.scores), {
            once: true,
          }),
        );
        element.inputs = inputs;
        if (fresh) {
          Object.assign(element, { id: "patient", model: "/testdata/corpus/patient.onnx" });
          element.setAttribute("bag", "/testdata/corpus/patients.csv");
          element.setAttribute("loading", "eager");
          document.querySelector("main").append(element);
        }
        return { text: element.inputs, scores: [...(await report)] };
      }, inputs);
    const younger = await explainedAt({ age: 50 });
    assert.equal(younger.text, "age=50");
    const older = await explainedAt({ age: 70 });
    assert.ok(Math.abs(older.scores[1] - younger.scores[1] - 1.6) <= 1e-5);
    const own = await explainedAt(null); // 63, in the file
    assert.equal(own.text, null);
    assert.ok(Math.abs(older.scores[1] - own.scores[1] - 0.56) <= 1e-5);
    const error = await page.evaluate(() => {
      try {
        document.getElementById("patient").inputs = { age: "old" };
      } catch ({ kind, message }) {
        return { kind, message };
      }
    });
    assert.equal(error.kind, "setting");
    assert.match(error.message, /inputs.age is old/);
    await page.evaluate(() => document.getElementById("patient").remove());
    assert.deepEqual(faults, []);
  });

  test("a click selects, the button and the keys remove, and the prediction moves", async () => {
    await copy();
    const before = await bars("own");
    const told = page.evaluate(
      () =>
        new Promise((resolve) =>
          document.addEventListener(
            "bag-predicted",
            ({ detail }) => detail.out.length > 1 && resolve(detail.out),
          ),
        ),
    );
    await page.evaluate(() => (document.getElementById("own").out = [15, 21]));
    assert.deepEqual(await told, [15, 21]);
    const after = await bars("own");
    assert.notDeepEqual(after, before, "without its two 9s");
    await page.locator("#own").getByText("Prediction without 2 instances").waitFor();
    await page.locator("#own").getByRole("button", { name: "Restore all" }).click();
    await page.waitForFunction(() => document.getElementById("own").out.length === 0);
    await page.locator("#own").getByText("Prediction", { exact: true }).waitFor();
    assert.deepEqual(await bars("own"), before);
    // A click selects, a second one changes nothing, and the pointer that passes by selects nothing.
    const canvas = page.locator("#own canvas");
    await canvas.click({ position: { x: 500, y: 150 } });
    await canvas.click({ position: { x: 500, y: 150 } });
    const state = () =>
      page.evaluate(() => [
        document.getElementById("own").selected,
        document.getElementById("own").out.join(),
      ]);
    const [selected] = await state();
    assert.equal(typeof selected, "number");
    await canvas.hover({ position: { x: 100, y: 20 } });
    assert.deepEqual(await state(), [selected, ""]);
    await page.locator("#own").getByRole("button", { name: "Remove", exact: true }).click();
    assert.deepEqual(await state(), [selected, String(selected)]);
    await page.locator("#own").getByRole("button", { name: "Restore", exact: true }).click();
    assert.deepEqual(await state(), [selected, ""]);
    await canvas.click({ position: { x: 500, y: 150 } });
    await page.keyboard.press("Enter");
    assert.deepEqual(await state(), [selected, ""]);
    await page.keyboard.press("Backspace");
    assert.deepEqual(await state(), [selected, String(selected)]);
    assert.deepEqual(faults, []);
  });

  test("works from the keyboard, and says what it shows", async () => {
    await copy();
    await page.locator("#own select").focus();
    for (let i = 0; i < 4 && !(await focused()).includes("cursor"); i++)
      await page.keyboard.press("Tab");
    assert.match(await focused(), /cursor/);
    await page.keyboard.press("Home");
    for (let i = 0; i < 15; i++) await page.keyboard.press("ArrowRight");
    const label = await page.locator("#own .cursor").getAttribute("aria-label");
    assert.match(
      label,
      /^digit 16 (supports|refutes) an 8 and a 9 by \d+\.\d+ \(log-odds\); missed here: \+\d+\.\d+ \(log-odds\)$/,
    );
    assert.equal(await page.locator("#own [role=status]").innerText(), label);
    assert.equal(await page.evaluate(() => document.getElementById("own").selected), 15);
    await page.evaluate(() => (document.getElementById("own").selected = 16));
    assert.match(await page.locator("#own [role=status]").innerText(), /^digit 17 /);
    await page.evaluate(() => (document.getElementById("own").selected = 15));
    await page.keyboard.press("Delete");
    await page.waitForFunction(() => document.getElementById("own").out.join() === "15");
    await page.locator("#own summary").press("Enter");
    await page.locator("#own tbody tr").first().waitFor();
    assert.equal(await page.locator("#own tbody tr").count(), 29);
    assert.match(await page.locator("#own tbody tr.out th").innerText(), /^16$/);
  });

  const focused = () =>
    page.evaluate(() => document.activeElement.shadowRoot?.activeElement?.className ?? "");

  test("an attribute that changes asks anew", async () => {
    await copy();
    await page.locator("#own select").selectOption("single");
    await page.waitForFunction(
      () => document.getElementById("own").report.explanations[0].method === "single",
    );
    assert.equal(
      await page.evaluate(() => document.getElementById("own").getAttribute("method")),
      "single",
    );
    await page.evaluate(() => document.getElementById("own").setAttribute("index", "3"));
    await page.waitForFunction(() => document.getElementById("own").prediction.prediction[0] > 0.5);
    assert.deepEqual(faults, []);
  });

  for (const [what, attribute, value, words] of [
    ["a model that is not there", "model", "nowhere.onnx", /nowhere\.onnx cannot be fetched: 404/],
    ["a model that is none", "model", "/examples/digits/bags.npz", /model/],
    ["a bag beyond the last", "index", "6", /there is no bag 6: the file holds 6/],
    ["an array that is not there", "array", "uni/features", /uni\/features/],
    ["a side of patches that is none", "patch-size", "big", /patch-size="big" is not a number/],
    ["a number that is none", "samples", "many", /samples="many" is not a number/],
    ["a method that nobody knows", "method", "magic", /magic/],
  ])
    test(`${what} is said, and what was there stays and is named`, async () => {
      await copy();
      await page.evaluate(
        ([a, v]) => document.getElementById("own").setAttribute(a, v),
        [attribute, value],
      );
      await page.locator("#own .problem:not([hidden])").waitFor();
      const problem = await page.locator("#own .problem").innerText();
      assert.match(problem, words);
      assert.match(problem, /the earlier answer: .+, explained by \w+/);
      assert.ok(await page.locator("#own canvas").isVisible());
      await page.evaluate((a) => document.getElementById("own").removeAttribute(a), attribute);
      if (attribute !== "model")
        await page.locator("#own .problem[hidden]").waitFor({ state: "attached" });
    });

  test("a drawing that has too little room is said in the element, until there is enough", async () => {
    await copy();
    await page.locator("#own").evaluate((e) => {
      e.removeAttribute("classes");
      e.setAttribute("kind", "bars");
    });
    await page.waitForFunction(
      () => document.getElementById("own").report.explanations.length === 4,
    );
    const width = (px) =>
      page.locator("#own").evaluate((e, px) => {
        e.style.display = "block";
        e.style.width = px;
      }, px);
    await width("200px");
    const said = page
      .locator("#own [part=problem], #first [role=alert]")
      .filter({ hasText: "too many classes" });
    await said.waitFor();
    await width("700px");
    await said.waitFor({ state: "hidden" });
    assert.deepEqual(faults, []);
  });

  test("what fails at first leaves the fallback", async () => {
    await page.evaluate(() => {
      const element = document.getElementById("second").cloneNode(true);
      element.id = "failing";
      element.setAttribute("bag", "nowhere.npz");
      document.getElementById("second").after(element);
    });
    await page.locator("#failing").scrollIntoViewIfNeeded();
    await page.locator("#failing .problem:not([hidden])").waitFor();
    assert.ok(await page.locator("#failing > p").isVisible());
  });

  test("files take the place of addresses", async () => {
    faults = [];
    await page.evaluate(async () => {
      const element = document.createElement("bag-explainer");
      element.id = "third";
      element.setAttribute("loading", "eager");
      const get = async (url) => (await fetch(url)).blob();
      element.model = await get("/examples/digits/model.onnx");
      element.bag = new File([await get("/examples/digits/bags.npz")], "bags.npz");
      document.body.prepend(element);
    });
    await explained("third");
    assert.ok(
      await page.evaluate(async () => (await document.getElementById("third").toPNG()).size > 1000),
    );
    assert.deepEqual(faults, []);
  });

  test("an engine that no element uses is closed", async () => {
    await copy();
    assert.ok(page.workers().length >= 1);
    // The engine is closed 10 s after its last element was removed.
    await page.clock.install({ time: 0 });
    await page.clock.pauseAt(1000);
    await page.evaluate(() =>
      document.querySelectorAll("bag-explainer").forEach((e) => e.remove()),
    );
    await page.clock.fastForward(9900);
    assert.ok(page.workers().length >= 1);
    await page.clock.fastForward(100);
    await until(() => page.workers().length === 0);
  });

  test("a browser without canvases shows all numbers, and says why there is no picture", async () => {
    await visit({}, undefined, () => {
      HTMLCanvasElement.prototype.getContext = () => null;
    });
    await page.locator("#first .problem:not([hidden])").waitFor();
    assert.match(
      await page.locator("#first .problem").innerText(),
      /does not draw on a canvas of \d+ × \d+ pixels: .+ Close other tabs or allow canvases/,
    );
    assert.ok(!(await page.locator("#first canvas").isVisible()));
    assert.ok((await bars("first")).length > 0);
    await page.locator("#first summary").click();
    await page.locator("#first tbody tr").first().waitFor();
    assert.deepEqual(faults, []);
    await visit(); // canvases are allowed, and the page is loaded again
    await page.locator("#first canvas").waitFor();
    assert.ok(!(await page.locator("#first .problem").isVisible()));
  });

  describe("axe finds nothing", () => {
    before(async () => {
      await visit({ bypassCSP: true });
      await page.addStyleTag({
        content: ":root { color-scheme: light dark; background: Canvas; color: CanvasText }",
      });
      const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
      await page.evaluate(await readFile(axe, "utf8"));
    });
    for (const colorScheme of ["light", "dark"])
      test(colorScheme, async () => {
        await page.emulateMedia({ colorScheme });
        await copy();
        await page.locator("#own summary").click();
        await page.locator("#own tbody tr").first().waitFor();
        const found = await page.evaluate(async () => (await globalThis.axe.run()).violations);
        assert.deepEqual(
          found.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)]),
          [],
        );
      });
  });
});
