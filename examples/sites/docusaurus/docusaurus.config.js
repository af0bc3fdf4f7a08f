export default {
  title: "What a network saw",
  url: "https://example.org",
  baseUrl: "/docs/v1/",
  onBrokenLinks: "throw",
  presets: [["classic", { docs: { path: "docs", routeBasePath: "/" }, blog: false }]],
  // The package's folder dist stands as bagscope/ in the folder static/.
  scripts: [{ src: "/docs/v1/bagscope/element.js", type: "module" }],
};
