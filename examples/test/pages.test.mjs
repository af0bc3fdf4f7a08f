// Pages without a build: plain HTML and the notebook.
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { install, staged } from "./package.mjs";
import { explained, needsBrowser, visit } from "./visit.mjs";

describe("pages without a build", needsBrowser, () => {
  before(install);

  test("plain HTML", async () => {
    const { seen, wrong } = await visit(staged("plain"), explained);
    assert.deepEqual(wrong, []);
    assert.equal(seen.length, 4);
    assert.ok([15, 16, 17, 21].includes(seen[3]), `instance ${seen[3]} supports an 8 and a 9 most, and is neither`);
  });

  test("the notebook", async () => {
    const { seen, wrong } = await visit(staged("notebook"), async (page) => {
      await page.locator("body[data-done]").waitFor({ timeout: 60_000 });
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
