// Opens a site in a browser, and says what it asked for and complained of.
import { rmSync } from "node:fs";
import { host, openBrowser } from "../../wasm/npm/test/browser.mjs";

export { needsBrowser } from "../../wasm/npm/test/browser.mjs";

/**
 * Serves a folder, opens its page `at`, lets `look` look at it, and expects that nothing was wrong and nobody else was
 * asked. Then it removes the folder, unless `keep` is set. Other options are those of the browser's context.
 */
export async function visit(site, look, { at = "", keep = false, ...options } = {}) {
  const server = await host(site);
  const browser = await openBrowser();
  try {
    const page = await browser.newPage(options);
    const wrong = [];
    page.on("pageerror", (error) => wrong.push(String(error)));
    page.on("console", (message) => message.type() === "error" && wrong.push(message.text()));
    page.on("request", (request) => {
      const url = request.url();
      if (![server.url, "blob:", "data:"].some((start) => url.startsWith(start))) wrong.push(`asked for ${url}`);
    });
    await page.goto(server.url + at);
    const seen = await look(page);
    return { seen, wrong };
  } finally {
    await browser.close();
    server.close();
    if (!keep) rmSync(site, { recursive: true });
  }
}

/** Waits until the page's element has explained its bag, and returns the instances that it put first for each class. */
export async function explained(page) {
  const element = page.locator("bag-explainer");
  await element.scrollIntoViewIfNeeded();
  await page.waitForFunction(() => document.querySelector("bag-explainer").report);
  await element.locator("canvas").waitFor();
  return page.evaluate(() =>
    document
      .querySelector("bag-explainer")
      .report.explanations.map(({ scores }) => scores.indexOf(Math.max(...scores))),
  );
}
