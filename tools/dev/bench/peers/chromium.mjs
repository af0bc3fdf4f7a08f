// The browser that is measured, and what it is not to do meanwhile.
export const chromium = process.env.CHROMIUM || "/usr/bin/chromium";
export const quiet = ["quic", "extensions", "background-networking", "component-update", "sync"].map(
  (x) => `--disable-${x}`,
);
