// A cold start: a fresh browser, a navigation, and the moment at which something stands on the screen. Nobody looks on: developer
// tools read every file once more when it has come, 11 ms in the page's own thread for the engine's.
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { chromium, quiet } from "./chromium.mjs";

/** How long anything may take, in milliseconds. */
const patience = 60_000;

/** Opens the site, or onnxruntime-web's page, with nothing cached. Returns what `watch.js` tells. */
export async function coldStart(host, engine) {
  const profile = await mkdtemp(path.join(tmpdir(), "cold-"));
  const to = engine === "bagscope" ? "/site/look/?cold" : "/cold.html?cold";
  const start = `${host.url}start?to=${encodeURIComponent(to)}`;
  const args = ["--headless", "--no-sandbox", "--no-first-run", ...quiet, `--user-data-dir=${profile}`, start];
  const browser = spawn(chromium, args, { stdio: "ignore", detached: true });
  const ended = new Promise((done) => browser.once("exit", done));
  let late;
  try {
    return await Promise.race([
      host.drawn(),
      new Promise((_, fail) => {
        browser.once("error", fail);
        browser.once("exit", () => fail(new Error("the browser ended before anything was drawn")));
        late = setTimeout(() => fail(new Error(`nothing was drawn within ${patience / 1000} s`)), patience);
      }),
    ]);
  } finally {
    clearTimeout(late);
    if (browser.pid) {
      process.kill(-browser.pid, "SIGKILL"); // with the processes that it started
      await ended;
    }
    await rm(profile, { recursive: true, force: true, maxRetries: 10 });
  }
}
