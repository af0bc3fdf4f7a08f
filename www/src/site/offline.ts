/**
 * Has the site kept for use without a network, once the page is at rest. `root` leads to the site's first page. A browser
 * that cannot, or may not, goes without.
 */
export function keepOffline(root = ''): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  navigator.serviceWorker.register(new URL(`${root}sw.js`, document.baseURI)).catch(() => {});
}
