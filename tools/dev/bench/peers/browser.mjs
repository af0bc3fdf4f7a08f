// Chromium with the page of the benchmark: node browser.mjs FOLDER, which bench has staged.
import { chromium, quiet } from "./chromium.mjs";
import { coldStart } from "./cold.mjs";
import { host } from "./host.mjs";
import { serve } from "./lines.mjs";
import { peakOf } from "./memory.mjs";

const folder = process.argv[2];
const served = await host(folder);
let browser, page;

async function playwright() {
  try {
    return await import("playwright-core");
  } catch (cause) {
    throw new Error(`playwright-core does not load; run npm ci --ignore-scripts in tools/dev/bench (${cause.message})`);
  }
}

async function opened() {
  if (!page) {
    const args = ["--no-sandbox", "--no-first-run", ...quiet];
    browser = await (await playwright()).chromium.launch({ executablePath: chromium, args });
    page = await browser.newPage();
    await page.goto(served.url);
    await page.waitForFunction(() => window.bench);
  }
  return page;
}

/** Of the processes that run pages the largest: there is one page. */
async function peak() {
  await opened();
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  return Math.max(...processInfo.filter((p) => p.type === "renderer").map((p) => peakOf(p.id)));
}

await serve({
  ready: async () => (await opened()) && {},
  measure: async (request) => ({ ms: await (await opened()).evaluate((r) => window.bench.measure(r), request) }),
  cold: async ({ engine }) => coldStart(served, engine),
  peak: async () => ({ bytes: await peak() }),
});
await browser?.close();
served.close();
