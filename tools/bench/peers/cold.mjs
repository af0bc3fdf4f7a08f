// A cold start: a fresh context, a navigation, and the moment at which something stands on the screen.

/**
 * In the page, before anything of it: notes when the first computed explanation was painted. A cell with a class shows
 * a score; a bag by itself has none. What is asked for in a frame comes when that is painted.
 */
function watch() {
  const drawn = () => {
    const cells = document.querySelector("canvas[data-cells]")?.dataset.cells ?? "";
    return /\[\d+,\d/.test(cells) && !document.querySelector("img.poster");
  };
  const observer = new MutationObserver(() => {
    if (!drawn()) return;
    observer.disconnect();
    requestAnimationFrame(() => setTimeout(() => (window.benchDrawn = performance.now())));
  });
  observer.observe(document, { subtree: true, childList: true, attributeFilter: ["data-cells"] });
}

/** Milliseconds since the navigation began: when it was drawn, and how long after the last large file had come. */
function times() {
  const large = performance.getEntriesByType("resource").filter((e) => /\.(wasm|onnx|npz|npy)$/.test(e.name));
  return { ms: window.benchDrawn, after: window.benchDrawn - Math.max(...large.map((e) => e.responseEnd)) };
}

/** A new window has the browser load pages of its own, which keep a core busy for a second. */
const settled = 2000;

/** Opens the site, or onnxruntime-web's page, with nothing cached. */
export async function coldStart(browser, url, engine) {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    const site = engine === "bagscope";
    if (site) await page.addInitScript(watch);
    await page.waitForTimeout(settled);
    await page.goto(url + (site ? "site/look/" : "cold.html"));
    await page.waitForFunction(() => window.benchDrawn, null, { timeout: 60_000 });
    return await page.evaluate(times);
  } finally {
    await context.close();
  }
}
