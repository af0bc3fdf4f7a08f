export default function (config) {
  config.addGlobalData("layout", "page.html");
  return { pathPrefix: "/docs/v1/", dir: { includes: "../layouts" } };
}
