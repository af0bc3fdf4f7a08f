import starlight from "@astrojs/starlight";
import { defineConfig } from "astro/config";

export default defineConfig({
  base: "/docs/v1",
  integrations: [
    starlight({
      title: "What a network saw",
      // The package's folder dist stands as bagscope/ in the folder public/.
      head: [{ tag: "script", attrs: { type: "module", src: "/docs/v1/bagscope/element.js" } }],
    }),
  ],
});
