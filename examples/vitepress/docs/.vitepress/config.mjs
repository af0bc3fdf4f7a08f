import { fileURLToPath } from "node:url";

export default {
  title: "What a network saw",
  head: [["link", { rel: "icon", href: "data:," }]],
  // The element is the browser's, not Vue's.
  vue: { template: { compilerOptions: { isCustomElement: (tag) => tag === "bag-explainer" } } },
  vite: {
    publicDir: fileURLToPath(new URL("../../../digits", import.meta.url)),
    // The package keeps its place beside its worker and its wasm file.
    optimizeDeps: { exclude: ["bagscope"] },
    worker: { format: "es" },
  },
};
