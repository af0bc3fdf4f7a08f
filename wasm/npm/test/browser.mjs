// A static host and a browser for the tests that need them.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import http from "node:http";
import path from "node:path";
import { chromium } from "playwright-core";
import { patience, root } from "./support.mjs";

const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";

/** The skip option of a test that needs a browser. */
export const needsBrowser = existsSync(executablePath)
  ? {}
  : { skip: `there is no browser at ${executablePath}; name one with CHROMIUM` };

/** Flags are those that a test needs beside the usual ones. */
export async function openBrowser(flags = []) {
  const args = [
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    ...flags,
  ];
  const browser = await chromium.launch({ executablePath, args, timeout: patience });
  browser.on("context", (context) => context.setDefaultTimeout(patience));
  return browser;
}

const types = {
  ".css": "text/css",
  ".html": "text/html",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

/**
 * Serves a folder, by default the repository, as a static host would, with no header but the type.
 */
export function host(folder = root) {
  const server = http.createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://host");
    let file = path.join(folder, decodeURIComponent(pathname));
    if (pathname.endsWith("/")) file = path.join(file, "index.html");
    try {
      if (!file.startsWith(folder + path.sep)) throw new Error("outside");
      const body = await readFile(file);
      response
        .writeHead(200, { "Content-Type": types[path.extname(file)] ?? "application/octet-stream" })
        .end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  return new Promise((resolve) =>
    server.listen(0, "127.0.0.1", () =>
      resolve({ url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() }),
    ),
  );
}
