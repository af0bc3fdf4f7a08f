// A cold start: a fresh context, a navigation, and the moment at which something stands on the screen.

/**
 * In the page, before anything of it: notes when the first computed explanation was painted. A cell with a class shows
 * a score; a bag by itself has none.
 */
function watch() {
  const look = () => {
    const cells = document.querySelector("canvas[data-cells]")?.dataset.cells ?? "";
    if (!/\[\d+,\d/.test(cells) || document.querySelector("img.poster")) return requestAnimationFrame(look);
    requestAnimationFrame(() => (window.benchDrawn = performance.now()));
  };
  requestAnimationFrame(look);
}

/** Milliseconds since the navigation began: when it was drawn, and how long after the last large file had come. */
function times() {
  const large = performance.getEntriesByType("resource").filter((e) => /\.(wasm|onnx|npz|npy)$/.test(e.name));
  return { ms: window.benchDrawn, after: window.benchDrawn - Math.max(...large.map((e) => e.responseEnd)) };
}

/** Opens the site, or onnxruntime-web's page, with nothing cached. */
export async function coldStart(browser, url, engine) {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    const site = engine === "bagscope";
    if (site) await page.addInitScript(watch);
    await page.goto(url + (site ? "site/look/" : "cold.html"));
    await page.waitForFunction(() => window.benchDrawn, null, { timeout: 60_000 });
    return await page.evaluate(times);
  } finally {
    await context.close();
  }
}
