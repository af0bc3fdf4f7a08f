/**
 * The script of a page in one file, which contains the engine, models and bags and sends no
 * request.
 */

import { load } from "./embedded.js";
import { BagExplainer } from "./element/bag-explainer.js";
import { EngineCache } from "./element/cache.js";

/**
 * Returns the bytes in an element of the page, which are compressed by gzip and encoded in base 64.
 */
async function packed(id: string): Promise<ArrayBuffer> {
  const text = document.getElementById(id)!.textContent!.trim();
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return new Response(
    new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")),
  ).arrayBuffer();
}

async function file(id: string): Promise<File> {
  return new File([await packed(id)], document.getElementById(id)!.dataset.name ?? "");
}

/** Starts the element of the page with what the page contains. */
function start(): void {
  BagExplainer.cache = new EngineCache(() => load({ wasm: packed("engine"), codecURL: null }));
  customElements.define("bag-explainer", BagExplainer);
  const element = document.querySelector("bag-explainer")!;
  for (const name of ["model", "bag", "card"] as const)
    if (document.getElementById(name)) void file(name).then((f) => (element[name] = f));
  const index = document.querySelector<HTMLSelectElement>("#index");
  index?.addEventListener("change", () => element.setAttribute("index", index.value));
}

// In a page that contains no engine this script does nothing.
if (document.getElementById("engine")) start();
