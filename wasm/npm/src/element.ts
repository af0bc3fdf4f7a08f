/**
 * Defines `<bag-explainer>`. The engine is loaded when the first element becomes visible. All
 * elements of the page share it.
 */

import { BagExplainer } from "./element/bag-explainer.js";
import { EngineCache } from "./element/cache.js";

export { BagExplainer };
export { english, type Texts } from "./element/texts.js";
export type { Source } from "./element/cache.js";

declare global {
  interface HTMLElementTagNameMap {
    "bag-explainer": BagExplainer;
  }
}

BagExplainer.cache = new EngineCache(async (onLoading) =>
  (await import("./index.js")).load({ onLoading }),
);
if (globalThis.customElements && !customElements.get("bag-explainer"))
  customElements.define("bag-explainer", BagExplainer);
