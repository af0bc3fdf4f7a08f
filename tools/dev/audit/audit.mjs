// Lighthouse over the built site, page by page: on a simulated phone with slow 4G, from a host that compresses as hosts do.
// Fails if a category that is the same on all machines is below 95: accessibility, best practices, SEO. Performance depends on
// the machine, although tasks count as long as the processor is on them. Its score and the time of the first screen fail only if
// they are three times as bad as they should be. CHROMIUM names the browser.
import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { createBrotliCompress, constants } from "node:zlib";
import { launch } from "chrome-launcher";
import lighthouse from "lighthouse";
import { config } from "./gather.mjs";

/** The least scores of categories. */
const least = (category) => (category === "performance" ? 95 / 3 : 95);
/** The latest time of the first screen, in ms. */
const FIRST_SCREEN = 3000;
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
  const { lhr } = await lighthouse(site + page, flags, config);
  const paint = lhr.audits["first-contentful-paint"].numericValue;
  const categories = Object.values(lhr.categories).map((c) => ({ ...c, score: Math.round(100 * c.score) }));
  const low = categories.filter(({ id, score }) => score < least(id));
  const good = low.length === 0 && paint <= FIRST_SCREEN;
  const line = categories.map(({ title, score }) => `${title} ${score}`).join(", ");
  console.log(`/${page}: ${line}; first screen after ${Math.round(paint)} ms${good ? "" : "  << too low or too late"}`);
  for (const { auditRefs, title } of low)
    for (const { id, weight } of auditRefs) {
      const { score, displayValue, title: what } = lhr.audits[id];
      if (weight > 0 && score !== null && score < 0.9) console.log(`  ${title}: ${what} (${displayValue ?? score})`);
    }
  return good;
}
