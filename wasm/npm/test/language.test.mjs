// <bag-explainer> in the languages that it ships, in Chromium.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { host, needsBrowser, openBrowser } from "./browser.mjs";

const digits = "/examples/digits/";

/** What stays as it is: names of the card and of the file, methods, keys and units. */
const names =
  /an 8 and a 9|neither 8 nor 9|an 8|a 9|bag 0: two 8s and two 9s|digit|MILLI|SHAP|LIME|Shapley|Delete|logit|log-odds|Log-Odds|Logit|MB|Mo/g;

/** Words of the English texts that no other language has. */
const english =
  /\b(the|of|an|and|with|without|by|is|are|not|do|does|supports|refutes|removed|remove|restore|stand|order|bag|explained|another|trust|numbers|largest|scale|prediction|method|loading)\b/i;

describe("the languages of the element", needsBrowser, () => {
  let site, browser, page;

  before(async () => {
    site = await host();
    browser = await openBrowser();
  });
  after(async () => {
    await browser?.close();
    site?.close();
  });

  /** Opens a page with these elements, which keeps what is written on canvases. */
  async function open(body, lang = "en") {
    await page?.context().close();
    page = await (await browser.newContext({ viewport: { width: 900, height: 900 } })).newPage();
    await page.addInitScript(() => {
      window.written = [];
      const { fillText } = CanvasRenderingContext2D.prototype;
      CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
        window.written.push({ text, direction: this.direction, align: this.textAlign });
        return fillText.call(this, text, ...rest);
      };
    });
    await page.route("**/page.html", (route) =>
      route.fulfill({
        contentType: "text/html",
        body: `<!doctype html><html lang="${lang}"><meta charset="utf-8">${body}
          <script type="module" src="/wasm/npm/dist/element.js"></script>`,
      }),
    );
    await page.goto(`${site.url}page.html`);
  }
  const element = (attributes = "") =>
    `<bag-explainer model="${digits}model.onnx" bag="${digits}bags.npz" loading="eager"
      interactive ${attributes}></bag-explainer>`;
  const trusted = () =>
    page.waitForFunction(() => {
      const all = [...document.querySelectorAll("bag-explainer")];
      return all.length > 0 && all.every((e) => e.report?.trust?.length > 0);
    });

  /** All texts of the element: in its tree, in its attributes and in its picture. */
  async function texts() {
    await trusted();
    return page.evaluate(async () => {
      const e = document.querySelector("bag-explainer");
      const root = e.shadowRoot;
      root.querySelector("details").open = true;
      const seen = [];
      const read = () => {
        const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
        while (walk.nextNode()) seen.push(walk.currentNode.data);
        for (const one of root.querySelectorAll("[aria-label]"))
          seen.push(one.getAttribute("aria-label"));
      };
      e.out = [2];
      for (let i = 0; i < 29; i++) {
        e.selected = i;
        read();
      }
      await new Promise((done) => e.addEventListener("bag-predicted", done, { once: true }));
      const drawn = () => written.some(({ text }) => text === "29");
      while (!drawn()) await new Promise(requestAnimationFrame);
      return [...new Set([...seen, ...written.map(({ text }) => text)])];
    });
  }

  for (const lang of ["de", "es", "fr", "zh", "ar"])
    test(`no English word is left in ${lang}`, async () => {
      await open(element(), lang);
      const all = (await texts()).map((text) => text.replace(names, ""));
      assert.ok(all.length > 60, `${all.length} texts`);
      assert.deepEqual(
        all.filter((text) => english.test(text)),
        [],
      );
      if (lang === "zh" || lang === "ar")
        assert.deepEqual(
          all.filter((text) => /[a-z]{2}/i.test(text)),
          [],
        );
    });

  test("the check finds English words", async () => {
    await open(element());
    const all = (await texts()).map((text) => text.replace(names, ""));
    assert.ok(all.filter((text) => english.test(text)).length > 20);
  });

  test("lang of the element, of what contains it, of a host; others are English", async () => {
    await open(
      `<p lang="fr">${element('id="a"')}${element('id="b" lang="de-AT"')}</p><div id="host" lang="es"></div>
       ${element('id="c"')}`,
      "nl",
    );
    await page.evaluate(() => {
      const tree = document.querySelector("#host").attachShadow({ mode: "open" });
      tree.append(document.querySelector("#a").cloneNode());
    });
    await trusted();
    await page.waitForFunction(
      () => document.querySelector("#host").shadowRoot.querySelector("bag-explainer").report,
    );
    const summary = (find) =>
      page.evaluate(`${find}.shadowRoot.querySelector("summary").innerText`);
    assert.equal(await summary("a"), "Tous les nombres");
    assert.equal(await summary("b"), "Alle Zahlen");
    assert.equal(await summary("c"), "All numbers");
    const inside = 'document.querySelector("#host").shadowRoot.querySelector("bag-explainer")';
    assert.equal(await summary(inside), "Todos los números");
    await page.evaluate(() => (b.lang = "zh"));
    await page.waitForFunction(
      () => b.shadowRoot.querySelector("summary").innerText === "全部数值",
    );
  });

  test("a page in English loads no other language", async () => {
    await open(element());
    await trusted();
    const bodies = await page.evaluate(() => {
      const all = performance.getEntriesByType("resource").map(({ name }) => name);
      const scripts = all.filter((name) => name.endsWith(".js"));
      return Promise.all(scripts.map(async (name) => (await fetch(name)).text()));
    });
    assert.ok(bodies.length > 1);
    assert.ok(!bodies.some((text) => text.includes("Alle Zahlen")));
  });

  test("from right to left: lines, bars and cells turn, signs and brackets of numbers do not", async () => {
    await open(element(), "ar");
    await texts();
    const found = await page.evaluate(() => {
      const root = document.querySelector("bag-explainer").shadowRoot;
      const box = (e) => e.getBoundingClientRect();
      const [first] = root.querySelectorAll(".prediction li");
      const cells = [...root.querySelectorAll("td bdi")];
      /** The left edge of each character of a text. */
      const edges = (node) =>
        [...node.data].map((_, i) => {
          const range = document.createRange();
          range.setStart(node, i);
          range.setEnd(node, i + 1);
          return Math.round(box(range).left);
        });
      const bracketed = cells.find((c) => c.innerText.startsWith("("));
      return {
        direction: getComputedStyle(root.querySelector("figure")).direction,
        stage: getComputedStyle(root.querySelector(".stage")).direction,
        nameIsRight:
          box(first.querySelector(".name")).left > box(first.querySelector(".value")).left,
        edges: edges(bracketed.firstChild),
        written,
      };
    });
    assert.equal(found.direction, "rtl");
    assert.equal(found.stage, "ltr");
    assert.ok(found.nameIsRight);
    assert.ok(found.edges.length > 5);
    assert.deepEqual(
      found.edges,
      found.edges.toSorted((a, b) => a - b),
    );
    for (const { text, direction, align } of found.written) {
      const arabic = /[\u0600-\u06ff]/.test(text);
      assert.deepEqual([direction, align], arabic ? ["rtl", "right"] : ["ltr", "left"], text);
    }
    assert.ok(found.written.some(({ text }) => text.includes("يدعم")));
  });

  test("in a page from right to left without a language of ours texts stay in order", async () => {
    await open(`<div dir="rtl">${element()}</div>`, "he");
    await trusted();
    const directions = await page.evaluate(() => {
      const root = document.querySelector("bag-explainer").shadowRoot;
      return ["figure", "figcaption", "slot"].map(
        (name) => getComputedStyle(root.querySelector(name)).direction,
      );
    });
    assert.deepEqual(directions, ["ltr", "rtl", "rtl"]);
  });
});
