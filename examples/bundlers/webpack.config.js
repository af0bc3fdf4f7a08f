import { fileURLToPath } from "node:url";

export default {
  mode: "production",
  context: fileURLToPath(new URL(".", import.meta.url)),
  entry: "./src/app.js",
  experiments: { outputModule: true },
  output: { module: true, publicPath: "auto", filename: "app.js" },
};
