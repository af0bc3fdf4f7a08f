// How many requests this page has made, as the browser counts them, and how many it was refused.

class Requests {
  before = $state(0);
  since = $state(0);
  refused = $state(0);
  #sealed = false;

  /** Begins to count; what was asked for before is counted too. */
  watch(): void {
    document.addEventListener('securitypolicyviolation', () => this.refused++);
    const observer = new PerformanceObserver((list) => {
      // Blobs lie in the page's own memory.
      const made = list.getEntries().filter((e) => !/^(blob|data):/.test(e.name)).length;
      if (this.#sealed) this.since += made;
      else this.before += made;
    });
    observer.observe({ type: 'navigation', buffered: true });
    observer.observe({ type: 'resource', buffered: true });
  }

  /** From now on none is expected. What ended before but is told of later belongs to the loading. */
  async seal(): Promise<void> {
    await new Promise((done) => setTimeout(done, 100));
    this.#sealed = true;
  }
}

export const requests = new Requests();
