import DefaultTheme from "vitepress/theme";

export default {
  extends: DefaultTheme,
  enhanceApp() {
    if (!import.meta.env.SSR) void import("bagscope/element");
  },
};
