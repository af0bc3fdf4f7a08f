export default {
  base: "./",
  publicDir: false,
  worker: { format: "es" },
  optimizeDeps: { exclude: ["bagscope"] }, // the development server leaves it beside its worker
  build: { target: "es2022" },
};
