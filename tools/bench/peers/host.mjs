import { createReadStream, statSync } from "node:fs";
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

/** Serves a folder on the loopback interface and returns its address. The page is isolated, for fine clocks. */
export function host(folder) {
  const server = createServer((request, response) => {
    const asked = path.normalize(decodeURIComponent(new URL(request.url, "http://host").pathname));
    const file = path.join(folder, asked.endsWith("/") ? asked + "index.html" : asked);
    const found = statSync(file, { throwIfNoEntry: false });
    if (!found?.isFile()) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, {
      "Content-Type": types[path.extname(file)] ?? "application/octet-stream",
      "Content-Length": found.size,
      "Cross-Origin-Opener-Policy": "same-origin",
      "Cross-Origin-Embedder-Policy": "require-corp",
    });
    createReadStream(file).pipe(response);
  });
  return new Promise((done) =>
    server.listen(0, "127.0.0.1", () => done({ url: `http://127.0.0.1:${server.address().port}/`, server })),
  );
}
