// Pages without a build: plain HTML and the notebook.
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import path from "node:path";
import { examples, install, openseadragon, staged } from "./package.mjs";
import { explained, needsBrowser, visit } from "./visit.mjs";

describe("pages without a build", needsBrowser, () => {
  before(install);

  test("plain HTML", async () => {
    const { seen, wrong } = await visit(staged("plain"), explained);
    assert.deepEqual(wrong, []);
    assert.equal(seen.length, 4);
    assert.ok([15, 16, 17, 21].includes(seen[3]), `instance ${seen[3]} supports an 8 and a 9 most, and is neither`);
  });

  test("a map over a viewer of OpenSeadragon", async () => {
    const site = staged("openseadragon", { openseadragon, tissue: path.join(examples, "tissue") });
    const { seen, wrong } = await visit(site, async (page) => {
      await page.locator("body[data-done]").waitFor();
      const said = page.locator("#patch");
      const all = await said.innerText();
      const viewer = page.locator("#viewer");
      // A patch at the right gland. The slide is a square in the middle of the viewer.
      const { width, height } = await viewer.boundingBox();
      await viewer.hover({ position: { x: width / 2 + 0.32 * height, y: 0.35 * height } });
      await page.waitForFunction(() => /^Patch \d+/.test(document.getElementById("patch").textContent));
      const one = await said.innerText();
      // The map has colours over the slide, and none when it is switched off.
      const painted = () =>
        page.evaluate(async () => {
          await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
          const all = [...document.querySelectorAll("#viewer .openseadragon-canvas > :last-child canvas")];
          const canvas = all.find(({ style }) => style.display !== "none");
          const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
          return data.some((v, i) => i % 4 === 3 && v > 100);
        });
      const on = await painted();
      await page.getByLabel("Smooth").check();
      await page.getByLabel("Map").uncheck();
      return { all, one, on, off: await painted(), classes: await page.locator("#class option").allInnerTexts() };
    });
    assert.deepEqual(wrong, []);
    assert.match(seen.all, /^\d+ patches\. Point at one\.$/);
    assert.match(seen.one, /^Patch \d+: -?\d+\.\d{3} .+ for .+\.$/);
    assert.deepEqual([seen.on, seen.off], [true, false]);
    assert.ok(seen.classes.length >= 2 && seen.classes.includes("a gland"), `${seen.classes}`);
  });

  test("the notebook", async () => {
    const { seen, wrong } = await visit(staged("notebook"), async (page) => {
      await page.locator("body[data-done]").waitFor();
      return {
        failed: await page.locator("output.failed").allInnerTexts(),
        outputs: await page.locator("output").count(),
        canvas: await page.locator("canvas").count(),
        judged: await page.locator("table").last().locator("tr").count(),
      };
    });
    assert.deepEqual(wrong, []);
    assert.deepEqual(seen, { failed: [], outputs: 4, canvas: 1, judged: 1 + 2 * 4 });
  });
});
