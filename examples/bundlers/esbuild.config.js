import { fileURLToPath } from "node:url";

export default {
  absWorkingDir: fileURLToPath(new URL(".", import.meta.url)),
  entryPoints: { app: "src/app-esbuild.js" },
  bundle: true,
  format: "esm",
  target: "es2022",
  loader: { ".wasm": "file" },
};
