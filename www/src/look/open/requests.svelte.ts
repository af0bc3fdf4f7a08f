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
      const made = list
        .getEntries()
        .filter((e) => !/^(blob|data):/.test(e.name) && this.#new(e)).length;
      if (this.#sealed) this.since += made;
      else this.before += made;
    });
    observer.observe({ type: 'navigation', buffered: true });
    observer.observe({ type: 'resource', buffered: true });
  }

  /** Counts requests of workers, which the browser does not list among those of the page. */
  add(made: number): void {
    this.before += made;
  }

  // The page's own entry may be told of before it has loaded and again when it has.
  #told = new Set<string>();
  #new({ entryType, name }: PerformanceEntry): boolean {
    if (entryType !== 'navigation') return true;
    const first = !this.#told.has(name);
    this.#told.add(name);
    return first;
  }

  /**
   * From now on none is expected. What ended before but is told of later belongs to the loading.
   */
  async seal(): Promise<void> {
    await new Promise((done) => setTimeout(done, 100));
    this.#sealed = true;
  }
}

export const requests = new Requests();
