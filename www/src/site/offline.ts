/**
 * Milliseconds in which the site's few megabytes have come, or may go on coming behind the page's
 * back.
 */
const PATIENCE = 20_000;

/** Where sw.js looks for what is kept by those alone who opened it. */
const OPENED = 'bagscope-opened';

/** A file of an example: its address, and what lies there. */
export interface Opened {
  url: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/**
 * Has the site kept for use without a network, once the page is at rest, and the example that was
 * opened, where it is not part of the site. `root` leads to the site's first page. A browser that
 * cannot, or may not, goes without. It is kept, or is not going to be, when this returns.
 */
export async function keepOffline(root = '', opened: readonly Opened[] = []): Promise<void> {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  try {
    const registration = await navigator.serviceWorker.register(
      new URL(`${root}sw.js`, document.baseURI),
    );
    await settled(registration.installing);
    // By the page: the worker does not see what a first visit fetches.
    for (const { url, bytes } of opened)
      if (!(await caches.match(url)))
        await (await caches.open(OPENED)).put(url, new Response(bytes));
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
