/** Milliseconds in which the site's few megabytes have come, or may go on coming behind the page's back. */
const PATIENCE = 20_000;

/**
 * Has the site kept for use without a network, once the page is at rest. `root` leads to the site's first page. A browser
 * that cannot, or may not, goes without. It is kept, or is not going to be, when this returns.
 */
export async function keepOffline(root = ''): Promise<void> {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  try {
    const registration = await navigator.serviceWorker.register(new URL(`${root}sw.js`, document.baseURI));
    await settled(registration.installing);
  } catch {
    // then it goes without
  }
}

/** Waits until a worker has kept the site or has failed to, but not for a network that hangs. */
function settled(worker: ServiceWorker | null): Promise<void> {
  return new Promise((done) => {
    if (worker?.state !== 'installing') return done();
    setTimeout(done, PATIENCE);
    worker.addEventListener('statechange', () => done());
  });
}
