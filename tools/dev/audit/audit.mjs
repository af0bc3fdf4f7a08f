// Lighthouse over the built site, page by page: on a simulated phone with slow 4G, from a host that compresses as hosts do.
// Fails where a category is below 95, or the first screen comes later than a second. Tasks count as long as the processor is on
// them, so that a machine with other work to do gives the same verdict. CHROMIUM names the browser.
import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { createBrotliCompress, constants } from "node:zlib";
import { launch } from "chrome-launcher";
import lighthouse from "lighthouse";
import { config } from "./gather.mjs";

const LEAST = 95;
const FIRST_SCREEN = 1000;
/** Of a page's runs the middle one counts: one that meets a busy moment of the machine says nothing of the page. */
const RUNS = 3;
const dist = fileURLToPath(new URL("../../../www/dist", import.meta.url));
const pages = process.argv.slice(2);
if (pages.length === 0) pages.push("", "look/", "embed/", "python/", "docs/", "docs/first.html", "docs/methods.html", "bench/");

const types = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
};

const server = createServer((request, response) => {
  const path = normalize(new URL(request.url, "http://host").pathname);
  const file = [join(dist, path), join(dist, path, "index.html")].find((name) =>
    statSync(name, { throwIfNoEntry: false })?.isFile(),
  );
  if (!file) return response.writeHead(404).end();
  const head = { "Content-Type": types[extname(file)] ?? "application/octet-stream", "Cache-Control": "max-age=31536000" };
  if (!/text|wasm|json/.test(head["Content-Type"])) {
    response.writeHead(200, head);
    return createReadStream(file).pipe(response);
  }
  response.writeHead(200, { ...head, "Content-Encoding": "br" });
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };
  createReadStream(file).pipe(createBrotliCompress(quality)).pipe(response);
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const site = `http://127.0.0.1:${server.address().port}/`;

const quiet = ["quic", "background-networking", "component-update", "sync"].map((x) => `--disable-${x}`);
const chrome = await launch({
  chromePath: process.env.CHROMIUM,
  chromeFlags: ["--headless=new", "--no-sandbox", "--no-first-run", ...quiet],
});
let failed = false;
try {
  for (const page of pages) failed = !(await audit(page)) || failed;
} finally {
  chrome.kill();
  server.close();
}
process.exitCode = failed ? 1 : 0;

async function audit(page) {
  const flags = { port: chrome.port, logLevel: "error", output: "json" };
  const runs = [];
  for (let n = 0; n < RUNS; n++) runs.push((await lighthouse(site + page, flags, config)).lhr);
  const lhr = runs.sort((a, b) => a.categories.performance.score - b.categories.performance.score)[RUNS >> 1];
  const paint = lhr.audits["first-contentful-paint"].numericValue;
  const scores = Object.values(lhr.categories).map((c) => [c.title, Math.round(100 * c.score)]);
  const low = scores.filter(([, score]) => score < LEAST);
  const good = low.length === 0 && paint <= FIRST_SCREEN;
  const line = scores.map(([title, score]) => `${title} ${score}`).join(", ");
  console.log(`/${page}: ${line}; first screen after ${Math.round(paint)} ms${good ? "" : "  << too low or too late"}`);
  if (low.length > 0)
    for (const { auditRefs, title, score } of Object.values(lhr.categories))
      if (score * 100 < LEAST)
        for (const { id, weight } of auditRefs) {
          const { score: own, displayValue, title: what } = lhr.audits[id];
          if (weight > 0 && own !== null && own < 0.9) console.log(`  ${title}: ${what} (${displayValue ?? own})`);
        }
  return good;
}
