import { createReadStream, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import path from "node:path";

const types = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".json": "application/json",
  ".mjs": "text/javascript",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

/** A page that goes elsewhere when the browser has: a new window has it load pages of its own, which keep a core busy for a second. */
const start = (to) => `<!doctype html><script>setTimeout(() => location.replace(${JSON.stringify(to)}), 2500)</script>`;

const isolated = { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" };

/**
 * Serves a folder on the loopback interface. Pages are isolated, for fine clocks; one that is asked for with ?cold is watched, and
 * `drawn` waits for what it tells.
 */
export async function host(folder) {
  let told = () => {};
  let sent = 0; // when the last large file had been sent, which may be to a worker of the page
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url, "http://host");
    if (pathname === "/start") {
      response.writeHead(200, { "Content-Type": types[".html"] }).end(start(searchParams.get("to") ?? "/"));
      return;
    }
    if (pathname === "/drawn") {
      response.writeHead(204).end();
      told({ ms: Number(searchParams.get("ms")), after: performance.now() - sent });
      return;
    }
    const asked = path.normalize(decodeURIComponent(pathname));
    const file = path.join(folder, asked.endsWith("/") ? asked + "index.html" : asked);
    if (!statSync(file, { throwIfNoEntry: false })?.isFile()) {
      response.writeHead(404).end();
      return;
    }
    const type = types[path.extname(file)] ?? "application/octet-stream";
    if (searchParams.has("cold")) {
      const watched = readFileSync(file, "utf8").replace("<head>", '<head><script src="/watch.js"></script>');
      response.writeHead(200, { "Content-Type": type, ...isolated }).end(watched);
      return;
    }
    response.writeHead(200, { "Content-Type": type, "Content-Length": statSync(file).size, ...isolated });
    if (/\.(wasm|onnx|npz|npy)$/.test(file)) response.on("finish", () => (sent = performance.now()));
    createReadStream(file).pipe(response);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    drawn: () => new Promise((done) => (told = done)),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
